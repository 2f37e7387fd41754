/** Builds the compiled route from a bundle without faults: defaults applied, units converted, hashed. */
import { type NanoUsd, usdToNano } from "../money/nano-usd.ts";
import type { JsonSchema } from "../wire/chat.ts";
import type { BundleDraft, CandidateDraft, VariantDraft } from "./bundle-shape.ts";
import { canonicalHash } from "./canonical.ts";
import { candidateKey } from "./check-candidates.ts";
import { DEFAULT_LAMBDA, DEFAULT_RETRY, DEFAULT_TIMEOUTS } from "./defaults.ts";
import { mergeParams, paramsOf, reasoningOf } from "./params.ts";
import {
  type BakeoffSettings,
  type Budget,
  type Candidate,
  type Objective,
  type Route,
  RUNGS,
  type Timeouts,
  type ValueCheck,
  type ValueExpectation,
  type Variant,
} from "./route.ts";

const DEFAULT_MONITOR_SAMPLE = 200;

export async function buildRoute(draft: BundleDraft, schema: JsonSchema | undefined): Promise<Route> {
  const candidates = present(draft.candidates).map(candidateOf);
  const route: Omit<Route, "hash"> = {
    name: draft.route ?? "",
    ...given("description", draft.description),
    candidates,
    ...given("input", draft.input),
    ...given("template", draft.template),
    ...given("output", schema === undefined ? undefined : { schema, ladder: draft.output?.ladder ?? RUNGS }),
    require: draft.require ?? [],
    retry: {
      content_invalid: draft.retry?.content_invalid ?? DEFAULT_RETRY.content_invalid,
      network: draft.retry?.network ?? DEFAULT_RETRY.network,
      capacity_shed: draft.retry?.capacity_shed ?? DEFAULT_RETRY.capacity_shed,
      server_error: draft.retry?.server_error ?? DEFAULT_RETRY.server_error,
    },
    timeouts: timeoutsOf(draft),
    budget: budgetOf(draft.budget),
    allowUnpriced: draft.allow_unpriced ?? false,
    stream: draft.stream ?? "live",
    onContentFilter: draft.on_content_filter ?? "stop",
    ...given("serviceTier", draft.service_tier),
    capture: draft.capture ?? false,
    variants: present(draft.variants).map((variant) => variantOf(variant, candidates)),
    ...given("objective", objectiveOf(draft.objective)),
    valueChecks: present(draft.value_checks).map(
      (check): ValueCheck => ({ path: check.path, expect: expectationOf(check.expect), gate: check.gate ?? true }),
    ),
    ...given("bakeoff", bakeoffOf(draft.bakeoff)),
  };
  return { ...route, hash: await canonicalHash(route) };
}

function candidateOf(draft: CandidateDraft): Candidate {
  return {
    key: candidateKey(draft),
    provider: draft.provider,
    model: draft.model,
    params: paramsOf(draft.params),
    trial: draft.trial ?? false,
  };
}

/** A variant's candidate inherits the declared one: it may change params and become trial, but not leave trial. */
function variantOf(draft: VariantDraft, declared: readonly Candidate[]): Variant {
  const candidates = draft.candidates?.map(candidateOf).map((own) => {
    const wide = declared.find(({ key }) => key === own.key);
    return { ...own, params: mergeParams(wide?.params ?? {}, own.params), trial: own.trial || wide?.trial === true };
  });
  return {
    name: draft.name,
    ...given("candidates", candidates),
    ...given("template", draft.template),
    ...given("ladder", draft.output?.ladder),
    ...given("params", draft.params && paramsOf(draft.params)),
    ...given("reasoning", draft.reasoning && reasoningOf(draft.reasoning)),
  };
}

function timeoutsOf({ timeouts = {}, timeout_ms }: BundleDraft): Timeouts {
  return {
    ...given("firstTokenMs", timeouts.first_token_ms),
    idleMs: timeouts.idle_ms ?? DEFAULT_TIMEOUTS.idleMs,
    attemptMs: timeouts.attempt_ms ?? timeout_ms ?? DEFAULT_TIMEOUTS.attemptMs,
    callMs: timeouts.call_ms ?? DEFAULT_TIMEOUTS.callMs,
    streamMs: timeouts.stream_ms ?? DEFAULT_TIMEOUTS.streamMs,
  };
}

function budgetOf(draft: BundleDraft["budget"] = {}): Budget {
  return {
    ...given("perCall", nano(draft.usd_per_call)),
    ...given("perRun", nano(draft.usd_per_run)),
    ...given("perDay", nano(draft.usd_per_day)),
    ...given("perMonth", nano(draft.usd_per_month)),
  };
}

function objectiveOf(draft: BundleDraft["objective"]): Objective | undefined {
  if (!draft) return undefined;
  const per1k = nano(draft.price_ceiling?.usd_per_1k);
  const perRun = nano(draft.price_ceiling?.usd_per_run);
  const priceCeiling = per1k !== undefined ? { per1k } : perRun !== undefined ? { perRun } : undefined;
  return {
    mode: draft.mode,
    ...given("maxRegret", draft.max_regret),
    ...given("maxConformanceDrop", draft.max_conformance_drop),
    ...given("maxP95", draft.max_p95_ms),
    ...given("priceCeiling", priceCeiling),
    lambda: draft.lambda ?? DEFAULT_LAMBDA,
  };
}

function bakeoffOf(draft: BundleDraft["bakeoff"]): BakeoffSettings | undefined {
  if (!draft) return undefined;
  const { judge, regret_monitor: monitor, quality_gate: gate } = draft;
  return {
    ...given("reference", draft.reference),
    ...given("referenceEnvelope", nano(draft.reference_envelope_usd)),
    ...given("judge", judge && { model: judge.model, maxSamples: judge.max_samples }),
    ...given(
      "regretMonitor",
      monitor && { enabled: monitor.enabled, sampleN: monitor.sample_n ?? DEFAULT_MONITOR_SAMPLE },
    ),
    ...given("upgradeWatch", draft.upgrade_watch ?? (draft.reference === undefined ? undefined : true)),
    ...given("qualityGate", gate && { minScore: gate.min_score }),
    ...given("evidence", draft.evidence),
  };
}

type ExpectDraft = NonNullable<NonNullable<BundleDraft["value_checks"]>[number]>["expect"];

/** The shape ensured that exactly one of them is present. */
function expectationOf(draft: ExpectDraft): ValueExpectation {
  if (draft.regex !== undefined) return { regex: draft.regex };
  if (draft.number !== undefined) return { number: numberOf(draft.number) };
  if (draft.one_of !== undefined) return { one_of: draft.one_of };
  if (draft.exists !== undefined) return { exists: draft.exists };
  if (draft.length !== undefined) return { length: draft.length };
  if (draft.schema !== undefined) return { schema: draft.schema };
  return { equals: draft.equals };
}

function numberOf({
  value,
  ...draft
}: NonNullable<ExpectDraft["number"]>): Extract<ValueExpectation, { number: unknown }>["number"] {
  if (value === undefined) return { ...given("min", draft.min), ...given("max", draft.max) };
  return { value, ...given("tolerance", draft.tolerance), ...given("relative", draft.relative) };
}

function nano(dollars: number | undefined): NanoUsd | undefined {
  return dollars === undefined ? undefined : usdToNano(dollars);
}

/** Returns `{ [key]: value }`, or nothing where the value is absent: compiled JSON has no undefined members. */
function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

function present<T>(list: readonly (T | undefined)[] | undefined): T[] {
  return (list ?? []).filter((item) => item !== undefined);
}
