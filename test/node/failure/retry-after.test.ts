import { describe, expect, it } from "vitest";
import { durationMs, MAX_RETRY_AFTER_MS, retryAfterMs } from "../../../src/wire/retry-after.ts";

const NOW = Date.UTC(2026, 9, 21, 7, 27, 0);
const wait = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), NOW);

describe("how long an upstream asks to be left alone", () => {
  it.each([
    ["2", 2_000],
    ["0", 0],
    ["0.5", 500],
    ["-3", 0],
    ["99999999", MAX_RETRY_AFTER_MS],
    ["Wed, 21 Oct 2026 07:28:00 GMT", 60_000],
    ["Wednesday, 21-Oct-26 07:28:00 GMT", 60_000],
    ["Wed Oct 21 07:28:00 2026", 60_000],
    ["Thu Oct  1 07:28:00 2026", 0],
    ["Wed, 21 Oct 2020 07:28:00 GMT", 0],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
    ["Wed, 21 Oct 2099 07:28:00 GMT", MAX_RETRY_AFTER_MS],
    ["soon", undefined],
    ["", undefined],
    ["Wed, 21 Foo 2026 07:28:00 GMT", undefined],
  ])("G086: Retry-After %s", (value, expected) => expect(wait({ "retry-after": value })).toBe(expected));

  it("prefers milliseconds to seconds, and both to rate-limit resets", () => {
    expect(wait({ "retry-after-ms": "120", "retry-after": "9", "x-ratelimit-reset-requests": "60s" })).toBe(120);
    expect(wait({ "retry-after": "9", "x-ratelimit-reset-requests": "60s" })).toBe(9_000);
  });

  it.each([
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
    [{ "x-ratelimit-reset-tokens": "120ms" }, 120],
    [{ "x-ratelimit-reset-tokens": "2m59.56s" }, 179_560],
    [{ "x-ratelimit-reset": String(NOW + 5_000), "x-ratelimit-remaining": "0" }, 5_000],
    [{ "x-ratelimit-reset": String(NOW / 1000 + 5) }, 5_000],
    [{ "x-ratelimit-reset": "12" }, 12_000],
    [{ "x-ratelimit-reset": String(NOW - 5_000) }, 0],
    [
      { "anthropic-ratelimit-tokens-reset": "2026-10-21T07:27:30Z", "anthropic-ratelimit-tokens-remaining": "0" },
      30_000,
    ],
  ] as [Record<string, string>, number][])("reads resets: %o", (headers, expected) =>
    expect(wait(headers)).toBe(expected),
  );

  it("looks only at limits that are used up", () => {
    expect(
      wait({
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "2s",
        "x-ratelimit-remaining-tokens": "5000",
        "x-ratelimit-reset-tokens": "50s",
      }),
    ).toBe(2_000);
  });

  it.each(["-1", "0"])("G089: ignores a reset of %s and a limit that is unknown", (value) => {
    expect(wait({ "x-ratelimit-reset-tokens": value })).toBeUndefined();
    expect(wait({ "x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-tokens": "30s" })).toBeUndefined();
  });

  it.each([
    ["34.4s", 34_400],
    ["1h2m", 3_720_000],
    ["1d", 86_400_000],
    ["18.403470473s", 18_404],
    ["34.4", undefined],
    ["s", undefined],
    ["1s later", undefined],
  ])("duration %s", (text, expected) => expect(durationMs(text)).toBe(expected));
});
