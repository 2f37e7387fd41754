import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { probeProvider } from "../../../src/cli/probe-provider.ts";
import type { ProviderSpec } from "../../../src/provider/provider.ts";

let server: Server;
let url = "";
const seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push({ path: request.url ?? "", headers: request.headers });
    const key = request.headers["x-goog-api-key"] ?? request.headers["authorization"];
    if (String(key).includes("right")) response.end("{}");
    else
      response
        .writeHead(401, { "content-type": "application/json" })
        .end('{"error":{"message":"wrong key sk-wrong-1234567890abcdef"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const provider = (more: Partial<ProviderSpec> = {}): ProviderSpec => ({
  name: "acme",
  dialect: "openai-chat",
  baseUrl: url,
  apiKeyEnv: "ACME_API_KEY",
  capabilities: {},
  quirks: {},
  models: {},
  ...more,
});

describe("testing a provider", () => {
  it("says that a key works, and sends it in a header only", async () => {
    const quirks = { authHeader: { name: "x-goog-api-key", value: "{key}" } };
    expect(await probeProvider(provider({ dialect: "gemini", quirks }), "right")).toMatchObject({ answer: "ok" });
    expect(seen.at(-1)).toMatchObject({ path: "/models", headers: { "x-goog-api-key": "right" } });
  });

  it("names a refused key without printing it", async () => {
    const probe = await probeProvider(provider(), "sk-wrong-1234567890abcdef");
    expect(probe.answer).toBe("auth");
    expect(JSON.stringify(probe)).not.toContain("sk-wrong-1234567890abcdef");
  });

  it("tells a missing key and an address that does not answer", async () => {
    expect(await probeProvider(provider(), undefined)).toMatchObject({
      answer: "missing key",
      detail: "set ACME_API_KEY",
    });
    expect(await probeProvider(provider({ baseUrl: "http://127.0.0.1:1" }), "right")).toMatchObject({
      answer: "unreachable",
    });
  });
});
