import { afterEach, describe, expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../../../src/config/defaults.ts";
import { openGateway, user } from "../gateway.ts";

const limits = { bodyBytes: 10_000, headerBytes: 4_000, jsonDepth: 20 };
const gateway = openGateway({ config: { ...DEFAULT_CONFIG, limits } });
afterEach(() => gateway.settled());

const PATH = "/v1/chat/completions";
const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  gateway.fetch(PATH, { method: "POST", body, headers });
const code = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string } }).error;

describe("a request is refused", () => {
  test("with 413 when its length says it is too large, and when it turns out to be", async () => {
    const large = JSON.stringify({ model: "a", messages: user("x".repeat(20_000)) });
    expect((await post(large)).status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1_000;
        controller.enqueue(new TextEncoder().encode("x".repeat(1_000)));
      },
    });
    expect((await post(endless)).status).toBe(413);
    expect(sent).toBeLessThan(20_000);
  });

  test("with 431 when its headers are too large", async () => {
    const response = await post("{}", { "x-modelrig-tags": `a=${"x".repeat(5_000)}` });
    expect(response.status).toBe(431);
  });

  test("with 400 when it is nested too deeply, without parsing it", async () => {
    const deep = `{"model":"a","messages":${"[".repeat(5_000)}`;
    const response = await post(deep);
    expect(response.status).toBe(400);
    expect(await code(response)).toMatchObject({ code: "json_too_deep" });
  });

  test("with the place of the fault when it is no JSON, and without a word of it", async () => {
    const response = await post('{"model": "a",\n "secret-word": tru}');
    expect(response.status).toBe(400);
    const { message, code: word } = await code(response);
    expect(word).toBe("invalid_json");
    expect(message).toContain("line 2, column 17");
    expect(message).not.toContain("secret-word");
  });

  test.each([
    ["", "invalid_json"],
    ["[]", "invalid_json"],
    ["null", "invalid_json"],
    ['"text"', "invalid_json"],
  ])("with 400 when its body is %j", async (body, expected) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await code(response)).toMatchObject({ code: expected });
  });

  test("with 400 when it is not UTF-8", async () => {
    expect((await post(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))).status).toBe(400);
  });

  test.each([
    ["x-modelrig-tags", "novalue"],
    ["x-modelrig-tags", "=x"],
    ["x-modelrig-tags", "__proto__=x"],
    ["x-modelrig-tags", "a=%zz"],
    ["x-modelrig-tags", Array.from({ length: 40 }, (_, index) => `t${index}=1`).join(",")],
    ["x-modelrig-run", "has space"],
    ["x-modelrig-stream", "sometimes"],
  ])("with 400 when %s is %j", async (name, value) => {
    const response = await post(JSON.stringify({ model: "up/echo", messages: user("hi") }), { [name]: value });
    expect(response.status).toBe(400);
  });
});
