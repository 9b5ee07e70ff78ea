import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { strict as assert } from "node:assert";
import { after, beforeEach, test } from "node:test";

const sandbox = spawn("modelcatalogue-sandbox", ["-listen=127.0.0.1:0", "-ready-file=sandbox.json"], { stdio: "ignore" });
execFileSync("modelcatalogue-sandbox", ["wait", "-ready-file=sandbox.json"]);
const { url, clientId, clientSecret } = JSON.parse(readFileSync("sandbox.json", "utf8"));
beforeEach(() => fetch(`${url}/control/reset`, { method: "POST" }));
after(() => sandbox.kill());

async function latest(group) {
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret });
  const { access_token } = await (await fetch(`${url}/v1/auth/token`, { method: "POST", body })).json();
  const headers = { Authorization: `Bearer ${access_token}` };
  return (await (await fetch(`${url}/v1/model-group/${group}/latest-model`, { headers })).json()).revision;
}

const group = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01";

test("a publication is seen", async () => {
  await fetch(`${url}/control/model-groups/${group}/publish`, { method: "POST" });
  assert.equal(await latest(group), 4);
});

test("the next test begins anew", async () => {
  assert.equal(await latest(group), 3);
});
