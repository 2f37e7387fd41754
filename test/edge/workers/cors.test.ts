import { afterEach, describe, expect, inject, test } from "vitest";
import { CONTRACT } from "../../../src/api/contract.ts";
import { openGateway, upstreamProvider, user } from "../gateway.ts";

const PAGE = "https://app.example.com";
const OTHER = "https://app.example.com.evil.example";
const providers = [upstreamProvider("up", inject("upstreamUrl"))];
const open = openGateway({ providers, config: { cors: { origins: [PAGE] } } });
const closed = openGateway({ providers });
afterEach(async () => {
  await open.settled();
  await closed.settled();
});

const preflight = (origin: string, headers = "authorization,content-type,x-modelrig-tags") => ({
  method: "OPTIONS",
  // A preflight carries no key.
  headers: {
    authorization: "",
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": headers,
  },
});
const paths = [...new Set(CONTRACT.flatMap(({ path, aliases = [] }) => [path, ...aliases]))].map((path) =>
  path.replace(/\{\w+\}/g, "x"),
);
const corsHeaders = (response: Response): readonly string[] =>
  [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("a page of a listed origin", () => {
  test("may ask every endpoint: its preflight is answered without a key", async () => {
    for (const path of paths) {
      const { status, headers } = await open.fetch(path, preflight(PAGE));
      expect(status, path).toBe(204);
      expect(headers.get("access-control-allow-origin"), path).toBe(PAGE);
      expect(headers.get("access-control-allow-methods"), path).toContain("POST");
      expect(headers.get("vary"), path).toContain("Origin");
      expect(headers.has("access-control-allow-credentials"), path).toBe(false);
    }
  });

  test("may send what it asks to send, except cookies and a key that is no Bearer token", async () => {
    const asked = "anthropic-version, X-Stainless-OS,x-api-key,cookie,bad header";
    const { headers } = await open.fetch("/v1/messages", preflight(PAGE, asked));
    expect(headers.get("access-control-allow-headers")).toBe(
      "authorization, content-type, anthropic-version, x-stainless-os",
    );
  });

  test("reads an answer and the headers of the call, whole and streamed", async () => {
    for (const stream of [false, true]) {
      const body = { model: "up/echo", messages: user("hi"), stream };
      const response = await open.chat(body, { headers: { origin: PAGE } });
      await response.text();
      expect(response.status).toBe(200);
      expect(response.headers.get("access-control-allow-origin")).toBe(PAGE);
      expect(response.headers.get("access-control-expose-headers")).toContain("x-modelrig-inference-id");
      expect(response.headers.get("access-control-expose-headers")).toContain("x-modelrig-served");
      expect(response.headers.has("access-control-allow-credentials")).toBe(false);
      expect(response.headers.get("vary")).toBe("Origin");
    }
  });

  test.each([
    ["POST", "/v1/chat/completions", {}, 401],
    ["GET", "/v1/runs", {}, 401],
    ["POST", "/v1/chat/completions", { authorization: `Bearer ${inject("key")}` }, 400],
    ["DELETE", "/v1/whoami", { authorization: `Bearer ${inject("key")}` }, 405],
    ["GET", "/v1/nothing", { authorization: `Bearer ${inject("key")}` }, 404],
  ])("reads why %s %s was refused", async (method, path, key, status) => {
    const body = method === "POST" ? { body: "{" } : {};
    const headers = { authorization: "", ...key, origin: PAGE };
    const response = await open.fetch(path, { method, headers, ...body });
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe(PAGE);
  });
});

describe("a page of another origin", () => {
  test.each([OTHER, "null", "*", "http://app.example.com", `${PAGE}:8443`, PAGE.toUpperCase()])(
    "is told nothing: %s",
    async (origin) => {
      const asked = await open.fetch("/v1/chat/completions", preflight(origin));
      expect(asked.ok).toBe(false);
      expect(corsHeaders(asked)).toEqual([]);
      const answer = await open.chat({ model: "up/echo", messages: user("hi") }, { headers: { origin } });
      expect(corsHeaders(answer)).toEqual([]);
      expect(answer.headers.get("vary")).toBe("Origin");
    },
  );
});

describe("without listed origins", () => {
  test("no page may read anything", async () => {
    const asked = await closed.fetch("/v1/chat/completions", preflight(PAGE));
    expect(asked.ok).toBe(false);
    const answer = await closed.chat({ model: "up/echo", messages: user("hi") }, { headers: { origin: PAGE } });
    expect(answer.status).toBe(200);
    expect([...corsHeaders(asked), ...corsHeaders(answer)]).toEqual([]);
    expect(answer.headers.has("vary")).toBe(false);
  });
});

test("what only `modelrig dev` asks of its own Worker is never open to pages", async () => {
  const dev = openGateway({ config: { cors: { origins: [PAGE] } }, env: { MODELRIG_DEV_TOKEN: "t" } });
  const headers = { authorization: "Bearer t", origin: PAGE };
  const response = await dev.fetch("/dev/drain", { method: "POST", headers });
  expect(response.status).toBe(200);
  expect(corsHeaders(response)).toEqual([]);
});
