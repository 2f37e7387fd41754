import fc from "fast-check";
import type { Attempt, Inference } from "../../../src/call/inference.ts";
import { FAILURE_CLASSES } from "../../../src/failure/failure.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import type { Usage } from "../../../src/money/usage.ts";
import { LANES } from "../../../src/record/lane.ts";

let made = 0;

/** A complete inference of one served attempt; every call makes another id. */
export function anInference(fields: Partial<Inference> = {}): Inference {
  made += 1;
  const id = fields.id ?? `inf_${made}`;
  return {
    id,
    org: "org_a",
    keyId: "key_1",
    route: "example.summarize",
    routeHash: "ab".repeat(32),
    variant: "default",
    lane: "live",
    stream: false,
    startedAt: 1_700_000_000_000 + made,
    latencyMs: 420,
    firstByteMs: 120,
    served: { provider: "openai", model: "gpt-5.4-mini" },
    rung: "native_strict",
    finish: { unified: "stop", raw: "stop" },
    conformant: true,
    attempts: [anAttempt({ id: `${id}_att_0` })],
    skipped: [],
    cost: nanoUsd(412_500),
    costEstimated: false,
    tags: { client: "acme" },
    run: "run_1",
    step: "summarize",
    simulated: false,
    ...fields,
  };
}

export function anAttempt(fields: Partial<Attempt> = {}): Attempt {
  return {
    id: "att_0",
    index: 0,
    provider: "openai",
    model: "gpt-5.4-mini",
    rung: "native_strict",
    startedAt: 1_700_000_000_000,
    latencyMs: 400,
    firstByteMs: 100,
    status: 200,
    finish: { unified: "stop", raw: "stop" },
    usage: someUsage(),
    cost: nanoUsd(412_500),
    costEstimated: false,
    servedTier: "standard",
    priceVersion: "genai-prices@0.1.8",
    dropped: [],
    ...fields,
  };
}

export function someUsage(fields: Partial<Usage> = {}): Usage {
  return {
    input: { total: 1_200, uncached: 200, cacheRead: 1_000, cacheWrite: 0 },
    output: { total: 90, reasoning: 30 },
    estimated: false,
    raw: { prompt_tokens: 1_200 },
    ...fields,
  };
}

const name = fc.string({ unit: "grapheme", maxLength: 60 }).filter((text) => !text.includes("\0"));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const count = fc.nat({ max: 2_000_000 });
const failure = fc.record({
  class: fc.constantFrom(...FAILURE_CLASSES),
  message: name,
  status: maybe(fc.integer({ min: 400, max: 599 })),
  code: maybe(name),
});

const attempts = fc.array(
  fc.record({
    latencyMs: count,
    firstByteMs: maybe(count),
    failure: maybe(failure),
    usage: maybe(
      fc.record({
        input: fc.record({
          total: maybe(count),
          uncached: maybe(count),
          cacheRead: maybe(count),
          cacheWrite: maybe(count),
        }),
        output: fc.record({ total: maybe(count), reasoning: maybe(count) }),
        estimated: fc.boolean(),
        raw: fc.constant({}),
      }),
    ),
    cost: maybe(fc.nat().map(nanoUsd)),
  }),
  { maxLength: 4 },
);

/** Any inference of the given orgs, each with an id of its own. */
export function inferences(orgs: readonly string[]): fc.Arbitrary<Inference> {
  return fc
    .record({
      org: fc.constantFrom(...orgs),
      route: maybe(name),
      lane: fc.constantFrom(...LANES),
      stream: fc.boolean(),
      conformant: maybe(fc.boolean()),
      failure: maybe(failure),
      cost: maybe(fc.nat().map(nanoUsd)),
      tags: fc.dictionary(name, name, { maxKeys: 4, noNullPrototype: true }),
      attempts,
    })
    .map(({ attempts: ends, ...fields }) => {
      const inference = anInference(fields);
      return {
        ...inference,
        attempts: ends.map((end, index) => anAttempt({ ...end, index, id: `${inference.id}_${index}` })),
      };
    });
}
