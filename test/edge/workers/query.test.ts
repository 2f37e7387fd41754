import { afterEach, describe, expect, inject, test } from "vitest";
import { type Gateway, openGateway, route, upstreamProvider, user } from "../gateway.ts";

const opened: Gateway[] = [];
function open(options: Parameters<typeof openGateway>[0] = {}): Gateway {
  const routes = [route("query.a", ["up/m-1"])];
  const gateway = openGateway({ providers: [upstreamProvider("up", inject("upstreamUrl"))], routes, ...options });
  opened.push(gateway);
  return gateway;
}
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

const ask = (gateway: Gateway, query: unknown, path = "/v1/query") =>
  gateway.fetch(path, { method: "POST", body: JSON.stringify({ query }) });

async function callsOf(client: string): Promise<void> {
  const gateway = open();
  await gateway.chat(
    { model: "query.a", messages: user("hi") },
    { headers: { "x-modelrig-tags": `client=${client}` } },
  );
  await gateway.settled();
}

const COUNT = "SELECT tag.client, count(*), sum(cost) FROM inferences WHERE route = 'query.a' GROUP BY 1 ORDER BY 1";

describe("POST /v1/query", () => {
  test("answers from the telemetry of calls, under both paths", async () => {
    await callsOf("acme");
    await callsOf("bolt");
    for (const path of ["/v1/query", "/query"]) {
      const response = await ask(open(), COUNT, path);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        columns: [{ name: "tag.client", type: "text" }, { name: "count(*)" }, { name: "sum(cost)", type: "usd" }],
        rows: [
          ["acme", expect.any(Number), expect.stringMatching(/^\d+\.\d{9}$/)],
          ["bolt", expect.any(Number), expect.stringMatching(/^\d+\.\d{9}$/)],
        ],
      });
    }
  });

  test("points at what it cannot read", async () => {
    const response = await ask(open(), "SELECT modl FROM inferences");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        code: "query_column",
        type: "invalid_request_error",
        failure_class: "bad_request",
        position: 7,
        length: 4,
        found: "modl",
        hint: "did you mean model?",
        expected: expect.arrayContaining(["model"]),
      },
    });
  });

  test.each([[undefined], [7], [["SELECT 1"]]])("refuses the body %j", async (query) => {
    const response = await ask(open(), query);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "invalid_body" } });
  });

  test("explains itself", async () => {
    const response = await ask(open(), `EXPLAIN ${COUNT}`);
    expect(await response.json()).toMatchObject({ explain: { source: "rows", sql: expect.stringContaining("?") } });
  });

  test("needs the scope query", async () => {
    for (const key of [inject("keys").readOnly, inject("keys").callOnly]) {
      expect((await ask(open({ key }), COUNT)).status).toBe(403);
    }
    expect((await ask(open({ key: "nobody" }), COUNT)).status).toBe(401);
  });
});

describe("a token of MODELRIG_QUERY_TOKENS", () => {
  const env = { MODELRIG_QUERY_TOKENS: "tok-en=edge:tag:client:acme" };

  test("reads its tag's rows, whatever it asks", async () => {
    await callsOf("acme");
    await callsOf("bolt");
    const gateway = open({ env, key: "tok-en" });
    const response = await ask(gateway, COUNT);
    expect(((await response.json()) as { rows: unknown[][] }).rows.map(([client]) => client)).toEqual(["acme"]);
    const other = await ask(gateway, "SELECT count(*) FROM attempts WHERE tag.client = 'bolt'");
    expect(await other.json()).toMatchObject({ rows: [[0]] });
  });

  test("does nothing else", async () => {
    const gateway = open({ env, key: "tok-en" });
    expect((await gateway.chat({ model: "query.a", messages: user("hi") })).status).toBe(403);
    expect((await gateway.fetch("/v1/inferences")).status).toBe(403);
    expect((await gateway.fetch("/v1/proposals")).status).toBe(403);
  });

  test("leaves keys as they are", async () => {
    expect((await ask(open({ env }), COUNT)).status).toBe(200);
  });
});
