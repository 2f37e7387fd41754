/** The contract, the document made of it and what is mounted say the same. */
import { afterEach, describe, expect, test } from "vitest";
import { CONTRACT } from "../../../src/api/contract.ts";
import { type Endpoint, paramNames, pathWith } from "../../../src/api/endpoint.ts";
import { openapiDocument } from "../../../src/api/openapi.ts";
import { SCOPES, type Scope } from "../../../src/identity/scope.ts";
import { createApp } from "../../../workers/app.ts";
import { type Gateway, openGateway, route } from "../gateway.ts";
import { newKey } from "../keys.ts";

const opened: Gateway[] = [];
const open = (key?: string): Gateway => {
  const gateway = openGateway({ routes: [route("demo.a", ["sim/atlas-large"])], ...(key !== undefined && { key }) });
  opened.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

/** Mounted but not documented: `modelrig dev` alone calls it, with a token of its own. */
const INTERNAL = ["POST /dev/drain", "POST /dev/reload"];

const document = openapiDocument(CONTRACT) as {
  readonly paths: Record<string, Record<string, { operationId: string }>>;
};

describe("the document", () => {
  test("lists what is mounted, and nothing else", () => {
    const documented = CONTRACT.flatMap(({ method, path, aliases = [] }) =>
      [path, ...aliases].map((one) => `${method.toUpperCase()} ${one}`),
    );
    const mounted = createApp()
      .routes.filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`);
    expect([...new Set(mounted)].sort()).toEqual([...documented, ...INTERNAL].sort());
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed.sort()).toEqual(CONTRACT.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort());
  });

  test("names every operation once", () => {
    const names = CONTRACT.map(({ operation }) => operation);
    expect(new Set(names).size).toBe(names.length);
  });

  test("has no path that a request could take for another", () => {
    const paths = [...new Set(CONTRACT.map(({ path }) => path))];
    const ambiguous = paths.flatMap((one, index) =>
      paths
        .slice(index + 1)
        .filter((other) => overlaps(one.split("/"), other.split("/")))
        .map((other) => [one, other]),
    );
    expect(ambiguous).toEqual([]);
  });

  test("comes with an ETag, and is not sent again to who has it", async () => {
    const gateway = open();
    const first = await gateway.fetch("/openapi.json");
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
    expect(await first.json()).toEqual(JSON.parse(JSON.stringify(document)));
    const again = await gateway.fetch("/openapi.json", { headers: { "if-none-match": `"other", ${etag}` } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    expect((await gateway.fetch("/openapi.json", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });
});

/** Of two paths where neither is the more concrete one throughout, a request may fit both. */
function overlaps(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  const isParam = (part: string | undefined) => part?.startsWith("{") ?? false;
  const fits = one.every((part, index) => part === other[index] || isParam(part) || isParam(other[index]));
  const wider = one.some((part, index) => isParam(part) && !isParam(other[index]));
  const narrower = one.some((part, index) => !isParam(part) && isParam(other[index]));
  return fits && wider === narrower;
}

const keyed = CONTRACT.filter(({ access }) => access !== "open");

function requestTo({ method, path }: Endpoint): [string, RequestInit] {
  const params = Object.fromEntries(paramNames(path).map((name) => [name, "demo.a"]));
  return [pathWith(path, params), { method: method.toUpperCase(), ...(method !== "get" && { body: "{}" }) }];
}

const codeOf = async (response: Response) => {
  const body = (await response.json()) as { error: { code?: string } };
  return body.error.code;
};

describe("a key of each scope", () => {
  test.each(SCOPES)("%s opens what the document says, and nothing else", async (scope: Scope) => {
    const { key } = await newKey({ scopes: [scope] });
    const gateway = open(key);
    for (const endpoint of keyed) {
      const response = await gateway.fetch(...requestTo(endpoint));
      const allowed = endpoint.access === "any-key" || endpoint.access === scope || scope === "admin";
      const said = response.status === 403 ? await codeOf(response) : undefined;
      if (!allowed) expect([response.status, said], endpoint.operation).toEqual([403, "missing_scope"]);
      else expect(said, `${endpoint.operation} ${response.status}`).toBeUndefined();
    }
  });

  test("without any, nothing but what is open answers", async () => {
    const gateway = openGateway({ key: undefined });
    opened.push(gateway);
    for (const endpoint of CONTRACT) {
      const { status } = await gateway.fetch(...requestTo(endpoint));
      expect(status === 401, `${endpoint.operation} ${status}`).toBe(endpoint.access !== "open");
    }
  });

  test("that reaches another route is refused where the path names one", async () => {
    const { key } = await newKey({ scopes: ["admin"], routes: ["other.*"] });
    const gateway = open(key);
    for (const endpoint of keyed.filter(({ reach }) => reach !== undefined)) {
      const response = await gateway.fetch(...requestTo(endpoint));
      expect([response.status, await codeOf(response)], endpoint.operation).toEqual([403, "route_not_allowed"]);
    }
  });

  test("that sees only certain rows is refused where nothing carries tags", async () => {
    const { key } = await newKey({ scopes: ["admin"], rowScope: { tags: { client: "acme" } } });
    const gateway = open(key);
    for (const endpoint of keyed.filter(({ everyRow }) => everyRow !== undefined)) {
      const response = await gateway.fetch(...requestTo(endpoint));
      expect([response.status, await codeOf(response)], endpoint.operation).toEqual([403, "row_scope"]);
    }
  });
});

/** A key that sees only certain rows may call these: they show or take nothing else. Whatever is new is to be decided. */
const OF_CERTAIN_ROWS = [
  ...["createChatCompletion", "createMessage", "countMessageTokens", "createResponse", "createEmbeddings", "runRoute"],
  ...["countInputTokens", "compactResponse", "cancelResponse"],
  ...["listModels", "getModel", "whoami", "getSettings", "getRegistry", "getLiveVariant"],
  ...["reserveEnvelopes", "settleReservation", "releaseReservation"],
  ...["startRun", "endRun", "listRuns", "getRun", "saveArtifact", "getArtifact", "promoteArtifact"],
  ...["recordGrade", "ingest", "recordCall", "listInferences", "getInference", "queryTelemetry"],
];

test("an endpoint either keeps to the rows of a key or refuses one that does not see all", () => {
  const open = keyed.filter(({ everyRow }) => everyRow === undefined).map(({ operation }) => operation);
  expect(open.sort()).toEqual(OF_CERTAIN_ROWS.toSorted());
});

describe("every endpoint", () => {
  test("names the methods it takes to who comes with another", async () => {
    const gateway = open();
    for (const { path } of CONTRACT) {
      const taken = CONTRACT.filter((one) => one.path === path).map(({ method }) => method.toUpperCase());
      const response = await gateway.fetch(requestTo({ path, method: "get" } as Endpoint)[0], {
        method: "PATCH",
        body: "{}",
      });
      expect(response.status, path).toBe(405);
      for (const method of taken) expect(response.headers.get("allow"), path).toContain(method);
    }
  });

  test("refuses a parameter that it does not know, in the same way", async () => {
    const gateway = open();
    for (const endpoint of keyed.filter(({ ignoresQuery }) => !ignoresQuery)) {
      const [path, init] = requestTo(endpoint);
      const response = await gateway.fetch(`${path}?confirm=x&envelope=x&nosuch=1`, init);
      const body = (await response.json()) as { error: { code: string; param: string } };
      expect([response.status, body.error.code], endpoint.operation).toEqual([400, "invalid_query"]);
      expect(["nosuch", "confirm", "envelope"], endpoint.operation).toContain(body.error.param);
    }
  });

  test("says which field of a body it cannot take", async () => {
    const gateway = open();
    for (const endpoint of keyed.filter(({ body, ignoresQuery }) => body && !ignoresQuery)) {
      const [path, init] = requestTo(endpoint);
      const response = await gateway.fetch(path, { ...init, body: '{"nosuch":{"field":1}}' });
      const body = (await response.json()) as { error: { code: string; param: string | null } };
      expect([response.status, body.error.code], endpoint.operation).toEqual([400, "invalid_body"]);
      expect(body.error.param, endpoint.operation).toEqual(expect.any(String));
    }
  });
});
