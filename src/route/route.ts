import type { NanoUsd } from "../money/nano-usd.ts";
import type { JsonSchema, ReasoningOptions } from "../wire/chat.ts";

/** How JSON was asked for; the last two are repairs of an answer, free and paid. */
export const RUNGS = ["native_strict", "json_object", "coached", "syntax_repair", "model_repair"] as const;
export type Rung = (typeof RUNGS)[number];
/** The rung of a call without a schema. */
export type ServedRung = Rung | "none";

export const PREDICATES = ["schema_conformant", "grounded", "trace_visible", "zdr"] as const;
export type Predicate = (typeof PREDICATES)[number];

export interface CandidateParams {
  readonly temperature?: number | undefined;
  readonly max_tokens?: number | undefined;
  readonly top_p?: number | undefined;
  readonly seed?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly reasoning?: ReasoningOptions | undefined;
  readonly service_tier?: string | undefined;
  /** Fields of the provider's own API, sent unchanged. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** One declared provider and model that may serve a route. */
export interface Candidate {
  /** `provider/model`, unique within a route. */
  readonly key: string;
  readonly provider: string;
  readonly model: string;
  readonly params: CandidateParams;
  /** Declared but never served live: only replays and bake-offs may use it. */
  readonly trial: boolean;
}

export interface Template {
  readonly system?: string | undefined;
  readonly cached_context?: string | undefined;
  readonly user: string;
}

export interface RetryBudget {
  readonly content_invalid: number;
  readonly network: number;
  readonly capacity_shed: number;
  readonly server_error: number;
}

/** Milliseconds. */
export interface Timeouts {
  /** Absent = 10 000, or 60 000 where the reasoning effort is above low. */
  readonly firstTokenMs?: number | undefined;
  readonly idleMs: number;
  readonly attemptMs: number;
  readonly callMs: number;
  readonly streamMs: number;
}

export interface Budget {
  readonly perCall?: NanoUsd | undefined;
  readonly perRun?: NanoUsd | undefined;
  readonly perDay?: NanoUsd | undefined;
  readonly perMonth?: NanoUsd | undefined;
}

export interface OutputContract {
  readonly schema: JsonSchema;
  readonly ladder: readonly Rung[];
}

interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

export type ValueExpectation =
  | { readonly regex: string }
  | { readonly equals: unknown }
  | { readonly number: Range | NumberNear }
  | { readonly one_of: readonly unknown[] }
  | { readonly exists: boolean }
  /** Of a list. */
  | { readonly length: Range }
  | { readonly schema: JsonSchema };

/** Without a tolerance, the exact value. */
export interface NumberNear {
  readonly value: number;
  readonly tolerance?: number | undefined;
  /** Relative tolerance, as a share of the value. */
  readonly relative?: number | undefined;
}

export interface ValueCheck {
  readonly path: string;
  readonly expect: ValueExpectation;
  readonly gate: boolean;
}

/** A narrowing of a route. Every absent field has the route's value. */
export interface Variant {
  readonly name: string;
  readonly candidates?: readonly Candidate[] | undefined;
  readonly template?: Template | undefined;
  readonly ladder?: readonly Rung[] | undefined;
  readonly params?: CandidateParams | undefined;
  readonly reasoning?: ReasoningOptions | undefined;
}

export type ObjectiveMode = "quality-first" | "balanced" | "cost-first";

export interface Objective {
  readonly mode: ObjectiveMode;
  /** Fraction, not points. */
  readonly maxRegret?: number | undefined;
  /** Fraction; absent = 0.05. */
  readonly maxConformanceDrop?: number | undefined;
  /** Largest 95th percentile of latency: milliseconds, or times the incumbent's, as `1.2x`. */
  readonly maxP95?: number | string | undefined;
  readonly priceCeiling?: { readonly per1k: NanoUsd } | { readonly perRun: NanoUsd } | undefined;
  readonly lambda: number;
}

export interface BakeoffSettings {
  readonly reference?: string | undefined;
  readonly referenceEnvelope?: NanoUsd | undefined;
  readonly judge?: { readonly model: string; readonly maxSamples: number } | undefined;
  readonly regretMonitor?: { readonly enabled: boolean; readonly sampleN: number } | undefined;
  readonly upgradeWatch?: boolean | undefined;
  readonly qualityGate?: { readonly minScore: number } | undefined;
  /** `shape`: only conformance counts, and proposals rest on nothing else. */
  readonly evidence?: "shape" | undefined;
}

/** A compiled route bundle: validated, defaults applied, plain JSON. */
export interface Route {
  readonly name: string;
  readonly description?: string | undefined;
  readonly candidates: readonly Candidate[];
  readonly input?: JsonSchema | undefined;
  readonly template?: Template | undefined;
  readonly output?: OutputContract | undefined;
  readonly require: readonly Predicate[];
  readonly retry: RetryBudget;
  readonly timeouts: Timeouts;
  readonly budget: Budget;
  readonly allowUnpriced: boolean;
  readonly stream: "live" | "validated";
  readonly onContentFilter: "stop" | "next";
  readonly serviceTier?: string | undefined;
  readonly capture: boolean;
  readonly variants: readonly Variant[];
  readonly objective?: Objective | undefined;
  readonly valueChecks: readonly ValueCheck[];
  readonly bakeoff?: BakeoffSettings | undefined;
  /** SHA-256 of the canonical bundle, hex. Names the version of the route in telemetry and evidence. */
  readonly hash: string;
}
