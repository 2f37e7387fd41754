/** The shape of a bake-off's result, `modelrig.bakeoff/1`: figures only, no text of any call. */
import { z } from "zod";
import { ID_PATTERN } from "../route/identifier.ts";
import { type ObjectiveMode, RUNGS } from "../route/route.ts";

export const BAKEOFF_SCHEMA = "modelrig.bakeoff/1";

const name = z.string().regex(ID_PATTERN);
const count = z.number().int().nonnegative();
/** Exact decimal text of dollars, nine places. */
const usdText = z.string().regex(/^-?\d{1,9}\.\d{9}$/);
const fraction = z.number().min(0).max(1);
const rung = z.enum([...RUNGS, "none"]);

const OBJECTIVE_MODES = ["quality-first", "balanced", "cost-first"] as const satisfies readonly ObjectiveMode[];

export const STOP_REASONS = ["budget", "unpriced", "interrupted"] as const;

export const armReport = z.strictObject({
  arm: name,
  role: z.enum(["incumbent", "challenger", "reference"]),
  candidates: z.array(name),
  complete: z.boolean(),
  /** Why the arm has fewer samples than inputs. */
  stopped: z.enum(STOP_REASONS).optional(),
  /** Sent upstream; every failure among them is in the denominator of `conformance`. */
  sent: count,
  /** Brought an output that could be held against the schema. */
  graded: count,
  conformant: count,
  /** conformant ÷ sent, Wilson 95%. Absent where nothing was sent or the route declares no schema. */
  conformance: z.strictObject({ rate: fraction, low: fraction, high: fraction }).optional(),
  repair: z.strictObject({ count, rate: fraction.optional(), cost_usd: usdText }),
  rungs: z.partialRecord(rung, count),
  /** Of samples that brought an answer. */
  latency_ms: z.strictObject({ n: count, p50: z.number(), p95: z.number() }).optional(),
  spend_usd: usdText,
  /** Samples whose cost is unknown: while there are any, no rate is formed from the spend. */
  cost_unknown: count,
  cost_estimated: count,
  /** Spend ÷ conformant × 1000, in dollars. The interval needs n ≥ 30 and 10 conformant. */
  effective: z
    .strictObject({ usd_per_1k: z.number().nonnegative(), low: z.number().optional(), high: z.number().optional() })
    .optional(),
  /** Why there is no effective cost, or none with an interval. */
  effective_note: z.string().max(200).optional(),
  failures: z.record(z.string().max(64), count),
  value_checks: z.strictObject({ passed: count, failed: count }).optional(),
});

/** Challenger against incumbent on the inputs both were sent. `ratio` is challenger ÷ incumbent. */
export const pairReport = z.strictObject({
  arm: name,
  n_paired: count,
  cost_ratio: z
    .strictObject({ ratio: z.number().nonnegative(), low: z.number().optional(), high: z.number().optional() })
    .optional(),
});

const clause = z.strictObject({
  clause: z.enum(["objective", "complete", "schema", "pairs", "priced", "conformance", "effective_cost"]),
  met: z.boolean(),
  challenger: z.number().optional(),
  incumbent: z.number().optional(),
  reason: z.string().max(300),
});

export const armVerdict = z.strictObject({
  arm: name,
  clears: z.boolean(),
  clauses: z.array(clause),
  /** The paired cost ratio's interval lies below 1, on enough samples to claim a saving. */
  cost_separated: z.boolean(),
  /** Fraction of effective cost saved; only where `cost_separated`. */
  saving: z.strictObject({ fraction: z.number(), low: z.number(), high: z.number() }).optional(),
});

export const bakeoffReport = z.strictObject({
  schema: z.literal(BAKEOFF_SCHEMA),
  id: name,
  route: name,
  route_hash: z.string().regex(/^[0-9a-f]{64}$/),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  seed: count,
  concurrency: count,
  budget_usd_per_arm: usdText,
  /** Served by the simulated provider: figures about a simulation. */
  simulated: z.boolean(),
  /** Some arm was stopped early: a partial result cannot propose. */
  partial: z.boolean(),
  inputs: z.strictObject({
    asked: count,
    used: count,
    variables: count,
    messages: count,
    oldest: z.iso.datetime().optional(),
    newest: z.iso.datetime().optional(),
  }),
  metric: z.literal("conformance"),
  /** Without a schema conformance is not measured. */
  schema_declared: z.boolean(),
  /** What the route asks its arms to be judged by; only `cost-first` without a quality gate can be decided here. */
  objective: z.strictObject({ mode: z.enum(OBJECTIVE_MODES), quality_gate: z.boolean() }),
  incumbent: name,
  arms: z.array(armReport).min(1).max(32),
  pairs: z.array(pairReport),
  gate: z.strictObject({
    kind: z.literal("cost-first"),
    verdicts: z.array(armVerdict),
    /** The arm to file a proposal for. */
    proposes: name.optional(),
    reason: z.string().max(300),
  }),
});

export type BakeoffReport = z.infer<typeof bakeoffReport>;
export type ArmReport = z.infer<typeof armReport>;
export type PairReport = z.infer<typeof pairReport>;
export type GateClause = z.infer<typeof clause>;
export type ArmVerdict = z.infer<typeof armVerdict>;
export type GateReport = BakeoffReport["gate"];
