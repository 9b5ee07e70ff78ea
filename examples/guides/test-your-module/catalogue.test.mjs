import { strict as assert } from "node:assert";
import { beforeEach, test } from "node:test";

const url = process.env.MODELCATALOGUE_BASE_URL;
const group = `/model-groups/7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01`;

beforeEach(() => fetch(`${url}/control/reset`, { method: "POST" }));

test("a publication is seen", async () => {
  const answer = await fetch(`${url}/control${group}/publish`, { method: "POST" });
  assert.equal((await answer.json()).revision, 4); // here your program reads it
});
