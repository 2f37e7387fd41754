import { describe, expect, it } from "vitest";
import { failure } from "../../../src/failure/failure.ts";
import { MAX_MESSAGE_LENGTH, redact, withoutKey } from "../../../src/failure/redact.ts";

describe("text of an upstream, made safe", () => {
  it.each([
    [
      "Incorrect API key provided: sk-proj-abcDEF123456. See https://x.test",
      "Incorrect API key provided: [redacted]. See https://x.test",
    ],
    ["Incorrect API key provided: invalid-key. Find yours", "Incorrect API key provided: [redacted]. Find yours"],
    ["bad header Bearer abc.DEF-123_xyz= here", "bad header Bearer [redacted] here"],
    ["key AIzaSyA1234567890abcdefgh is wrong", "key [redacted] is wrong"],
    ["sk-ant-api03-AbCdEf_123 and gsk_abcdefghij and rig_sk_0123456789", "[redacted] and [redacted] and [redacted]"],
    ["Invalid API key: key1234", "Invalid API key: [redacted]"],
    ["Your api key: ****-key is invalid", "Your api key: [redacted] is invalid"],
    ["POST https://x.test/v1?key=abc123&alt=sse failed", "POST https://x.test/v1?key=[redacted]&alt=sse failed"],
    ["xai-abcdefgh12345678 refused", "[redacted] refused"],
    ['{"api_key":"topsecret","model":"m"}', '{"api_key":"[redacted]","model":"m"}'],
    ["in Bearer%20sk-proj-abcdefgh and q=%3Dsk-proj-abcdefgh", "in Bearer%20[redacted] and q=%3D[redacted]"],
    ["token eyJhbGciOi.eyJzdWIi.c2ln expired", "token [redacted] expired"],
  ])("%s", (text, safe) => expect(redact(text)).toBe(safe));

  it("leaves ordinary words alone", () => {
    const text = "invalid x-api-key; the task-based model risk-aware-9 does not exist; Basic authentication is off";
    expect(redact(text)).toBe(text);
  });

  it("is one line without control characters, terminal codes or reordering marks", () => {
    expect(redact("a\r\nb\u001b[31mc\u202ed\u0000")).toBe("a b [31mc d");
  });

  it("is bounded, and not cut through a character", () => {
    expect(redact("x".repeat(100_000))).toHaveLength(MAX_MESSAGE_LENGTH);
    const cut = redact(`${"x".repeat(MAX_MESSAGE_LENGTH - 2)}🙂🙂`);
    expect(cut.isWellFormed()).toBe(true);
    expect(cut.length).toBeLessThanOrEqual(MAX_MESSAGE_LENGTH);
  });

  it("hides a key that lies across the cut", () => {
    const text = redact(`${"x".repeat(MAX_MESSAGE_LENGTH - 8)} sk-proj-abcdefghijklmnop`);
    expect(text).not.toContain("sk-");
  });

  it("does not run away on hostile text", () => {
    // Backtracking over these would not end within the test's own limit.
    for (const piece of ["api key: ", "a.", "eyJ", "sk-", "Bearer ", "&key="]) {
      expect(redact(piece.repeat(100_000)).length).toBeLessThanOrEqual(MAX_MESSAGE_LENGTH + 1);
    }
  });
});

describe("a failure without the key that was sent", () => {
  const key = "hunter2/of+mine";

  it("has none of it left, whatever its shape and wherever it was echoed", () => {
    const echoed = failure("auth", `key ${key} (${encodeURIComponent(key)}) is wrong`, {
      code: key,
      param: `x.${key}`,
    });
    expect(withoutKey(echoed, key)).toEqual(
      failure("auth", "key [redacted] ([redacted]) is wrong", { code: "[redacted]", param: "x.[redacted]" }),
    );
  });

  it("is as it was where there is no key, or one too short to be told from a word", () => {
    const reason = failure("auth", "no entry", { code: "no" });
    expect(withoutKey(reason, undefined)).toBe(reason);
    expect(withoutKey(reason, "no")).toBe(reason);
  });
});
