/** Capabilities that a probe measures. */
export const PROBED = ["native_strict", "json_object", "coached", "tools", "caching"] as const;
export type ProbedCapability = (typeof PROBED)[number];

/** A measured capability of a model: k of n probes passed, on a date. */
export interface MeasuredCapability {
  readonly capability: ProbedCapability | "grounding" | "context";
  readonly n: number;
  readonly passed: number;
  /** Wilson 95%. */
  readonly low: number;
  readonly high: number;
  /** ISO date of the probe. */
  readonly measuredAt: string;
}

/** Measured capabilities by provider and model; empty where nothing was probed. */
export interface Registry {
  find(provider: string, model: string): readonly MeasuredCapability[];
}

/** Where nothing was probed. */
export const EMPTY_REGISTRY: Registry = { find: () => [] };
