/** Every field of every body, replaced by what no caller should send. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONTRACT } from "../../../src/api/contract.ts";
import { type Endpoint, paramNames, pathWith } from "../../../src/api/endpoint.ts";
import { parseBody } from "../../../workers/endpoints/parsing.ts";
import { HttpFault } from "../../../workers/http/fault.ts";
import { BodySamples, type FieldPath, type HostileBody } from "../../support/wire/hostile-bodies.ts";
import { type Gateway, openGateway, route } from "../gateway.ts";

let gateway: Gateway;
beforeAll(() => {
  gateway = openGateway({ routes: [route("demo.a", ["sim/atlas-large"])] });
});
afterAll(() => gateway.settled());

type WithBody = Endpoint & { readonly body: NonNullable<Endpoint["body"]> };

/** Calls in dialects of others have their own rules; their bodies are not parsed by the contract. */
const bodies = CONTRACT.filter(
  (endpoint): endpoint is WithBody => endpoint.body !== undefined && !endpoint.ignoresQuery,
);

function send({ method, path }: Endpoint, body: string): Promise<Response> {
  const params = Object.fromEntries(paramNames(path).map((name) => [name, "demo.a"]));
  return Promise.resolve(gateway.fetch(pathWith(path, params), { method: method.toUpperCase(), body }));
}

/** What the contract says of a body: undefined = it takes it. */
function refusal({ body: schema }: WithBody, { body }: HostileBody): HttpFault | undefined {
  try {
    parseBody(schema, JSON.parse(body) as unknown);
    return undefined;
  } catch (fault) {
    if (fault instanceof HttpFault) return fault;
    throw fault;
  }
}

/** The field at fault, or one that it lies in, or one inside it. */
function names(param: string | undefined, field: FieldPath): boolean {
  if (field.length === 0) return true;
  const said = param?.split(".") ?? [];
  return said.length > 0 && said.every((part, at) => field[at] === undefined || String(field[at]) === part);
}

describe.each(bodies.map((endpoint) => [endpoint.operation, endpoint] as const))("%s", (_, endpoint) => {
  const samples = new BodySamples(endpoint.body);

  test("takes a body made of its own schema", () => {
    expect(endpoint.body.safeParse(samples.sample()).error).toBeUndefined();
  });

  test("names the field of what it cannot take, and throws nothing else", () => {
    const unnamed = [...samples.hostile()].filter((hostile) => {
      const fault = refusal(endpoint, hostile);
      return fault !== undefined && !names(fault.failure.param, hostile.field);
    });
    expect(unnamed.map(({ field, value, body }) => `${field.join(".")}: ${value}: ${body.slice(0, 300)}`)).toEqual([]);
  });

  test("answers what it takes without an error of its own", { timeout: 60_000 }, async () => {
    const failed: string[] = [];
    for (const hostile of samples.hostile()) {
      if (refusal(endpoint, hostile)) continue;
      const response = await send(endpoint, hostile.body);
      const text = await response.text();

      if (response.status === 500) failed.push(`${hostile.field.join(".")}: ${hostile.value}: ${text}`);
    }
    expect(failed).toEqual([]);
  });
});

describe("a parameter of a path", () => {
  const withParams = CONTRACT.filter(({ path }) => paramNames(path).length > 0);

  test.each(withParams.map((endpoint) => [endpoint.operation, endpoint] as const))(
    "%s is never an error of the gateway's own",
    async (_, endpoint) => {
      const sample = endpoint.body && JSON.stringify(new BodySamples(endpoint.body).sample());
      for (const text of ["a\0b", "a\u202eb", "a\nb", "../../etc", "'; --", "x".repeat(2_000), "%", "١٢", " "]) {
        const params = Object.fromEntries(paramNames(endpoint.path).map((name) => [name, text]));
        const init = { method: endpoint.method.toUpperCase(), ...(sample !== undefined && { body: sample }) };
        const response = await gateway.fetch(pathWith(endpoint.path, params), init);
        expect([response.status, await response.text()], JSON.stringify(text.slice(0, 20))).not.toContain(500);
      }
    },
  );
});

test("half a surrogate pair is stored as U+FFFD, and a pair written as two escapes as itself", async () => {
  const body = '{"pipeline":"half \\ud83d, pair \\ud83d\\ude00, backslash \\\\ud83d"}';
  const response = await gateway.fetch("/v1/runs", { method: "POST", body });
  const { run } = (await response.json()) as { readonly run: { readonly pipeline: string } };
  expect(run.pipeline).toBe("half \ufffd, pair 😀, backslash \\ud83d");
});
