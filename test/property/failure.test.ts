import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classify } from "../../src/failure/classify.ts";
import { FAILURE_CLASSES } from "../../src/failure/failure.ts";
import { redact } from "../../src/failure/redact.ts";
import { bounded, MAX_RETRY_AFTER_MS, retryAfterMs } from "../../src/wire/retry-after.ts";
import { PROVIDER_ERRORS } from "../fixtures/provider-errors.ts";
import { decoded, judged } from "../support/wire/decode-fixture.ts";

const status = fc.oneof(
  fc.constantFrom(400, 401, 402, 403, 404, 413, 422, 429, 500, 503, 529),
  fc.integer({ min: 400, max: 599 }),
);

describe("failure classes", () => {
  it("never follow a number inside a message", () => {
    const fixture = fc.constantFrom(...PROVIDER_ERRORS.filter(({ status: code }) => code !== 200));
    const echo = fc.constantFrom("403", "429 Too Many Requests", "id 402", "in 18.403470473s", "rate_limit 503");
    fc.assert(
      fc.property(fixture, echo, fc.nat(), (known, noise, number) => {
        const error = decoded(known);
        const before = classify(error);
        const after = classify({ ...error, message: `${error.message.replace(/\d+/g, String(number))} (${noise})` });
        expect([after.class, after.reason]).toEqual([before.class, before.reason]);
      }),
    );
  });

  it("follow the status alone where neither a known word nor a known sentence is there", () => {
    const sentence = fc.lorem({ maxCount: 20 });
    fc.assert(
      fc.property(status, sentence, sentence, (code, one, other) => {
        const of = (message: string) =>
          judged({ provider: "somewhere", status: code, body: { error: { message: `zz ${message}` } } });
        expect(of(one).class).toBe(of(other).class);
      }),
    );
  });

  it("come out for any bytes at all, as data, with a bounded message", () => {
    fc.assert(
      fc.property(
        status,
        fc.oneof(fc.string(), fc.json(), fc.jsonValue()),
        fc.constantFrom("anthropic", "gemini", "openai"),
        (code, body, provider) => {
          for (const at of [code, 200]) {
            const failure = judged({ provider, status: at, body });
            expect(FAILURE_CLASSES).toContain(failure.class);
            expect(failure.message.length).toBeGreaterThan(0);
            expect(failure.message.length).toBeLessThanOrEqual(500);
          }
        },
      ),
    );
  });
});

describe("redaction", () => {
  it("lets no key through, wherever it stands, and settles at once", () => {
    const key = fc
      .tuple(
        fc.constantFrom("sk-", "sk-proj-", "sk-ant-api03-", "AIzaSy", "gsk_", "xai-", "rig_sk_"),
        fc.stringMatching(/^[A-Za-z0-9]{20,60}$/),
      )
      .map(([prefix, rest]) => prefix + rest);
    fc.assert(
      fc.property(fc.lorem({ maxCount: 80 }), key, fc.lorem({ maxCount: 80 }), (before, secret, after) => {
        const safe = redact(`${before} ${secret} ${after}`);
        expect(safe).not.toContain(secret.slice(0, 14));
        expect(redact(safe)).toBe(safe);
      }),
    );
  });
});

describe("waits", () => {
  it("lie between zero and the cap for any header", () => {
    const name = fc.constantFrom("retry-after", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-reset-tokens");
    const value = fc.oneof(fc.stringMatching(/^[ -~]{0,30}$/), fc.double().map(String), fc.integer().map(String));
    fc.assert(
      fc.property(name, value, fc.nat({ max: 2e12 }), (header, text, now) => {
        const wait = retryAfterMs(new Headers({ [header]: text }), now);
        if (wait !== undefined) expect(wait).toBe(bounded(wait));
        expect(wait ?? 0).toBeLessThanOrEqual(MAX_RETRY_AFTER_MS);
      }),
    );
  });
});
