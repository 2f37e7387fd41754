import { describe, expect, inject, test } from "vitest";
import { openGateway, route, upstreamProvider } from "../gateway.ts";

const providers = [upstreamProvider("up", inject("upstreamUrl"))];

interface Diagnosis {
  readonly database: { readonly state: string };
  readonly missing_provider_keys: readonly { readonly variable: string; readonly routes: readonly string[] }[];
  readonly unservable_routes: readonly string[];
  readonly query_tokens: { readonly plaintext: number; readonly faults: readonly string[] };
  readonly unfixed_row_scopes: readonly { readonly tag: string; readonly keys: readonly string[] }[];
}

const diagnose = async (gateway: ReturnType<typeof openGateway>): Promise<Diagnosis> =>
  (await gateway.fetch("/v1/diagnosis")).json();

describe("the gateway's word on itself", () => {
  test("names provider keys that are missing, and the routes that nothing can serve without them", async () => {
    const locked = { ...upstreamProvider("locked", inject("upstreamUrl")), apiKeyEnv: "LOCKED_API_KEY" };
    const routes = [
      route("diagnosis.dead", ["locked/m"]),
      route("diagnosis.alive", ["locked/m", "up/echo"]),
      route("diagnosis.open", ["up/echo"]),
    ];
    const told = await diagnose(openGateway({ routes, providers: [...providers, locked] }));
    expect(told).toMatchObject({
      database: { state: "current" },
      missing_provider_keys: [{ variable: "LOCKED_API_KEY", routes: ["diagnosis.dead", "diagnosis.alive"] }],
      unservable_routes: ["diagnosis.dead"],
    });
    const set = await diagnose(
      openGateway({ routes, providers: [...providers, locked], env: { LOCKED_API_KEY: "secret-4711" } }),
    );
    expect(set.missing_provider_keys).toEqual([]);
    expect(JSON.stringify(set)).not.toContain("secret-4711");
  });

  test("tells query tokens in plain text without quoting them, and whose tags writers may choose", async () => {
    const org = inject("org");
    const tokens = `plain-token-4711=${org}:tag:client:acme;broken`;
    const response = await openGateway({ env: { MODELRIG_QUERY_TOKENS: tokens } }).fetch("/v1/diagnosis");
    const text = await response.text();
    const told = JSON.parse(text) as Diagnosis;
    expect(told.query_tokens.plaintext).toBe(1);
    expect(told.query_tokens.faults).toHaveLength(1);
    expect(told.unfixed_row_scopes.map(({ tag }) => tag)).toContain("client");
    expect(text).not.toContain("plain-token-4711");
  });

  test("needs a database to know who asks", async () => {
    const away = openGateway({ env: { TURSO_DATABASE_URL: undefined } });
    // Without a database no key is known, which is what whoever asks is told.
    expect((await away.fetch("/v1/diagnosis")).status).toBe(503);
  });

  test("is for keys that may read", async () => {
    const response = await openGateway({ key: inject("keys").callOnly }).fetch("/v1/diagnosis");
    expect(response.status).toBe(403);
  });
});
