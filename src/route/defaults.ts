/** Values of keys that a bundle leaves out; also the policy of calls outside a route. */
import type { RetryBudget, Timeouts } from "./route.ts";

export const DEFAULT_RETRY: RetryBudget = { content_invalid: 1, network: 2, capacity_shed: 1, server_error: 1 };

/** `firstTokenMs` has no fixed default: it depends on the reasoning effort. */
export const DEFAULT_TIMEOUTS: Timeouts = { idleMs: 20_000, attemptMs: 60_000, callMs: 90_000, streamMs: 1_800_000 };

/** Weight of cost against regret in the objective `balanced`. */
export const DEFAULT_LAMBDA = 0.5;

/** Largest drop in conformance against the incumbent that a route tolerates, as a fraction. */
export const DEFAULT_CONFORMANCE_DROP = 0.05;
