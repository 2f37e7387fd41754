import { describe, expect, it } from "vitest";
import { cost } from "../../../src/money/cost.ts";
import type { Usage } from "../../../src/money/usage.ts";
import * as anthropic from "../../../src/wire/anthropic-messages/usage.ts";
import * as gemini from "../../../src/wire/gemini/usage.ts";
import * as chat from "../../../src/wire/openai-chat/usage.ts";
import * as responses from "../../../src/wire/openai-responses/usage.ts";
import { nanoOf, priceOf, usageOf, type WorkedCase } from "../../support/engine/worked-prices.ts";
import { corpusAvailable, readJsonl, skipWithoutCorpus } from "../../support/wire/corpus.ts";

skipWithoutCorpus("worked price cases", 248);
const cases = corpusAvailable ? readJsonl<WorkedCase>("prices", "worked-cases.jsonl") : [];

/** Impossible records: refused by the source, priced here by the reading with more tokens (design.md section 6). */
const IMPOSSIBLE: Readonly<Record<string, { readonly total: string; readonly rule: string }>> = {
  "gp-033a": {
    total: "0.000003",
    rule: "cache writes exceed the input, so the input leaves them out: 1 + 2 tokens at 1",
  },
  "gp-033b": { total: "0.000003", rule: "audio exceeds the output, so the output leaves it out: 1 + 2 tokens at 1" },
  "gp-033c": {
    total: "0.000019",
    rule: "2 cached audio tokens make 2 audio tokens: 5 uncached at 1, 3 cached at 2, 2 cached audio at 4",
  },
};

describe.skipIf(!corpusAvailable)("worked price cases", () => {
  it("are all there", () => expect(cases).toHaveLength(248));

  it.each(cases.filter(({ usage, expected }) => usage && expected))("$id $note: exact to the nano-dollar", (worked) => {
    expectCost(worked, usageOf(worked.usage ?? {}));
  });

  it.each(cases.filter(({ raw_usage }) => raw_usage))(
    "$id $note: exact to the nano-dollar from the raw usage",
    (worked) => {
      const raw = worked.raw_usage ?? {};
      const usage = "input_tokens" in raw ? responses.normaliseUsage(raw) : chat.normaliseUsage(raw, {});
      expect(usage).toBeDefined();
      if (usage) expectCost(worked, usage);
    },
  );

  it.each(cases.filter(({ expected_error }) => expected_error))(
    "$id: an impossible record costs its higher reading",
    (worked) => {
      const { total } = IMPOSSIBLE[worked.id]!;
      expect(cost(priceOf(worked), usageOf(worked.usage ?? {}), "standard")?.total).toBe(nanoOf(total));
    },
  );
});

/** Bodies as providers sent them, through the usage reader of their dialect. Where we differ, the rule is named. */
const DIFFERENT: Readonly<Record<string, { readonly total: string | undefined; readonly rule: string }>> = {
  "usage-027": { total: undefined, rule: "one billed search and no price for it: unknown, never 0 (price.ts)" },
  "usage-051": { total: "0.0160614", rule: "usage.cost is the bill; it holds a search the tokens do not show (G069)" },
  "usage-052": { total: "0.00216775", rule: "usage.cost is the bill; it holds a search the tokens do not show (G069)" },
  "usage-061": {
    total: "0.000014",
    rule: "usage.cost is the bill; the router took a dearer provider than listed (G069)",
  },
  "usage-072": {
    total: "0.2088",
    rule: "usage.iterations are summed; the top level is the last pass only (wire.md 1a)",
  },
};

describe.skipIf(!corpusAvailable)("raw bodies of providers, through the dialects", () => {
  it.each(cases.filter(({ raw_body }) => raw_body))("$id $provider $api_flavor", (worked) => {
    const usage = normalised(worked);
    expect(usage).toBeDefined();
    if (!usage) return;
    const different = DIFFERENT[worked.id];
    if (!different) return expectCost(worked, usage);
    const total = cost(priceOf(worked), usage, "standard")?.total;
    expect(total).toBe(different.total === undefined ? undefined : nanoOf(different.total));
  });
});

function normalised({ provider, api_flavor, raw_body = {} }: WorkedCase): Usage | undefined {
  if (provider === "anthropic" || api_flavor === "anthropic") return anthropic.normaliseUsage(raw_body["usage"]);
  if (provider === "google") return gemini.normaliseUsage(raw_body);
  if (api_flavor === "responses") return responses.normaliseUsage(raw_body["usage"]);
  return chat.normaliseUsage(raw_body["usage"], {});
}

function expectCost(worked: WorkedCase, usage: Usage): void {
  const { input, output, total } = worked.expected ?? { input: "0", output: "0", total: "0" };
  expect(cost(priceOf(worked), usage, worked.service_tier ?? "standard")).toEqual({
    total: nanoOf(total),
    input: nanoOf(input),
    output: nanoOf(output),
  });
}
