import { afterEach, describe, expect, inject, test } from "vitest";
import { openGateway, upstreamProvider, user } from "../gateway.ts";

const gateway = openGateway({
  providers: [upstreamProvider("oai", inject("dialectsUrl"), { dialect: "openai-chat" })],
});
afterEach(() => gateway.settled());

const CALL = JSON.stringify({ model: "oai/text", messages: user("x") });

async function compressed(text: string, format: "gzip" | "deflate"): Promise<ArrayBuffer> {
  return await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream(format))).arrayBuffer();
}

const post = (body: BodyInit, encoding: string) =>
  gateway.fetch("/v1/chat/completions", { method: "POST", body, headers: { "content-encoding": encoding } });

describe("a compressed request body", () => {
  test.each(["gzip", "deflate"] as const)("in %s is served like any other", async (format) => {
    expect((await post(await compressed(CALL, format), format)).status).toBe(200);
    expect((await post(CALL, "identity")).status).toBe(200);
  });

  test.each(["br", "zstd", "gzip, gzip"])("in %s is refused by name", async (encoding) => {
    const response = await post(CALL, encoding);
    expect([response.status, response.headers.get("accept-encoding")]).toEqual([415, "gzip, deflate, identity"]);
    expect(await response.json()).toMatchObject({
      error: { code: "unsupported_content_encoding", message: expect.stringContaining(encoding) },
    });
  });

  test("that is none, or is cut, is refused", async () => {
    const whole = await compressed(CALL, "gzip");
    for (const body of [CALL, whole.slice(0, whole.byteLength - 12)]) {
      const response = await post(body, "gzip");
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { code: "invalid_content_encoding" } },
      ]);
    }
  });

  test("is held to the size limit by what comes out of it", async () => {
    const bomb = await compressed(
      JSON.stringify({ model: "oai/text", messages: user(" ".repeat(40_000_000)) }),
      "gzip",
    );
    expect(bomb.byteLength).toBeLessThan(100_000);
    expect((await post(bomb, "gzip")).status).toBe(413);
  });
});
