// Reads every route of the sandbox at URL, with a client made of its interface.
import createClient from "openapi-fetch";
import type { paths } from "./client.d.ts";

const client = createClient<paths>({ baseUrl: process.env.URL });

function wanted<T>(data: T | undefined, response: Response): T {
  if (data === undefined) throw new Error(`${response.url} is answered with ${response.status}`);
  return data;
}

const asked = await client.POST("/v1/auth/token", {
  body: { grant_type: "client_credentials", client_id: "northwind", client_secret: "northwind-sandbox-secret" },
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  bodySerializer: (body) => new URLSearchParams(body as Record<string, string>).toString(),
});
const headers = { Authorization: `Bearer ${wanted(asked.data, asked.response).access_token}` };

const groups = await client.GET("/v1/model-group", { headers });
let models = 0;
for (const group of wanted(groups.data, groups.response)) {
  const params = { path: { id: group.id } };
  const one = await client.GET("/v1/model-group/{id}", { params, headers });
  const all = await client.GET("/v1/model-group/{id}/models", { params, headers });
  const latest = await client.GET("/v1/model-group/{id}/latest-model", { params, headers });
  if (wanted(one.data, one.response).latestRevision !== group.latestRevision) throw new Error(`${group.name} differs`);
  const revisions: number[] = wanted(all.data, all.response).map((model) => model.revision);
  if (revisions.length > 0 && wanted(latest.data, latest.response).revision !== Math.max(...revisions)) {
    throw new Error(`the latest of ${group.name} is another one`);
  }
  models += revisions.length;
}
const none = await client.GET("/v1/model-group/{id}", { params: { path: { id: "nope" } }, headers });
if (none.error?.code !== "NOT_FOUND") throw new Error(`an unknown id is answered with ${none.response.status}`);
console.log(`the TypeScript client reads ${groups.data?.length} groups and ${models} models`);
