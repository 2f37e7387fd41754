import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { billableInput, billableOutput, promptTokens } from "../../src/money/billable.ts";
import { cost, worstCase } from "../../src/money/cost.ts";
import { formatUsd } from "../../src/money/format.ts";
import { nanoUsd } from "../../src/money/nano-usd.ts";
import type { Price, Rate, ServiceTier } from "../../src/money/price.ts";
import type { Usage } from "../../src/money/usage.ts";

const tokens = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2_000_000 }));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const dollars = fc.oneof(
  fc.integer({ min: 0, max: 200_000 }).map((cents) => cents / 1000),
  fc.double({ min: 0, max: 200, noNaN: true }),
);
const rate: fc.Arbitrary<Rate> = fc.record({
  base: dollars,
  tiers: fc.array(fc.record({ start: fc.integer({ min: 0, max: 400_000 }), rate: dollars }), { maxLength: 3 }),
});
const tier = fc.constantFrom<ServiceTier>("standard", "flex", "priority", "batch");
const multiplier = fc.integer({ min: 0, max: 400 }).map((percent) => percent / 100);

const price: fc.Arbitrary<Price> = fc.record({
  input: rate,
  output: rate,
  cacheRead: maybe(rate),
  cacheWrite: maybe(rate),
  cacheWrite1h: maybe(rate),
  inputAudio: maybe(rate),
  inputImage: maybe(rate),
  inputVideo: maybe(rate),
  cacheReadAudio: maybe(rate),
  outputAudio: maybe(rate),
  outputImage: maybe(rate),
  outputReasoning: maybe(rate),
  outputCitation: maybe(rate),
  perRequest: maybe(dollars),
  perSearch: dollars,
  tierMultiplier: maybe(fc.record({ flex: multiplier, priority: multiplier, batch: multiplier })),
  tierRates: maybe(fc.record({ priority: fc.record({ input: rate, outputReasoning: rate }) })),
  version: fc.constant("generated"),
});

/** Any record an upstream could send, consistent or not. */
const usage: fc.Arbitrary<Usage> = fc.record({
  input: fc.record({
    total: maybe(tokens),
    uncached: maybe(tokens),
    cacheRead: maybe(tokens),
    cacheWrite: maybe(tokens),
    cacheWrite1h: maybe(tokens),
    audio: maybe(tokens),
    image: maybe(tokens),
    video: maybe(tokens),
    cacheReadAudio: maybe(tokens),
  }),
  output: fc.record({
    total: maybe(tokens),
    text: maybe(tokens),
    reasoning: maybe(tokens),
    audio: maybe(tokens),
    image: maybe(tokens),
    citation: maybe(tokens),
  }),
  searches: maybe(fc.integer({ min: 0, max: 20 })),
  estimated: fc.boolean(),
  raw: fc.constant(null),
});

describe("money", () => {
  it("no usage within its bound costs more than the worst case", () => {
    fc.assert(
      fc.property(price, usage, tier, fc.boolean(), tokens, (own, used, asked, downgraded, slack) => {
        const billed = cost(own, used, downgraded ? "standard" : asked);
        const input = billableInput(used.input);
        const output = billableOutput(used.output);
        if (!billed) return;
        const bound = {
          inputTokens: (input ? promptTokens(input) : 0) + slack,
          outputTokens: (output?.total ?? 0) + slack,
          choices: 1,
          searches: used.searches,
        };
        expect(billed.total).toBeLessThanOrEqual(worstCase(own, bound, asked));
      }),
      { numRuns: 3_000 },
    );
  });

  it("several answers of bounded length cost at most the worst case for that many choices", () => {
    fc.assert(
      fc.property(price, tier, tokens, fc.integer({ min: 1, max: 8 }), tokens, (own, asked, each, choices, prompt) => {
        const used: Usage = {
          input: { total: prompt },
          output: { total: each * choices },
          estimated: false,
          raw: null,
        };
        const bound = { inputTokens: prompt, outputTokens: each, choices };
        expect(cost(own, used, asked)?.total).toBeLessThanOrEqual(worstCase(own, bound, asked));
      }),
    );
  });

  it("reads every record to at least as many tokens as each of its figures says", () => {
    fc.assert(
      fc.property(usage, (used) => {
        const input = billableInput(used.input);
        if (input) {
          const {
            total = 0,
            uncached = 0,
            cacheRead = 0,
            cacheWrite = 0,
            cacheWrite1h = 0,
            audio = 0,
            image = 0,
          } = used.input;
          const prompt = promptTokens(input);
          for (const part of [total, uncached + cacheRead + Math.max(cacheWrite, cacheWrite1h), audio, image]) {
            expect(prompt).toBeGreaterThanOrEqual(part);
          }
        }
        const output = billableOutput(used.output);
        if (output) {
          for (const part of Object.values({ ...used.output, text: 0 }))
            expect(output.total).toBeGreaterThanOrEqual(part ?? 0);
        }
      }),
    );
  });

  it("agrees with plain fractions where the record is consistent", () => {
    const cents = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(cents, cents, cents, tokens, tokens, tokens, (input, read, output, plain, cached, answered) => {
        const flat = (rateCents: number): Rate => ({ base: rateCents / 100, tiers: [] });
        const own: Price = { input: flat(input), cacheRead: flat(read), output: flat(output), version: "generated" };
        const used: Usage = {
          input: { total: plain + cached, cacheRead: cached },
          output: { total: answered },
          estimated: false,
          raw: null,
        };
        // Cents per million tokens are 10^-8 USD a token, that is ten nano-dollars.
        const exact = BigInt(plain) * BigInt(input) + BigInt(cached) * BigInt(read) + BigInt(answered) * BigInt(output);
        expect(BigInt(cost(own, used, "standard")?.total ?? -1)).toBe(exact * 10n);
      }),
    );
  });

  it("prints every amount within half a unit of its last digit, never as zero unless it is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 0, max: 2_000_000_000 }), fc.maxSafeNat()), (amount) => {
        const text = formatUsd(nanoUsd(amount));
        const [whole = "", fraction = ""] = text.slice(1).replaceAll(",", "").split(".");
        const shown = BigInt(whole) * 10n ** 9n + BigInt(fraction.padEnd(9, "0"));
        const unit = 10n ** BigInt(9 - fraction.length);
        const off = shown - BigInt(amount);
        expect(off > unit / 2n || -off > unit / 2n).toBe(false);
        expect(shown === 0n).toBe(amount === 0);
      }),
    );
  });
});
