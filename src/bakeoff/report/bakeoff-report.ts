/** The shape of a bake-off's result, `modelrig.bakeoff/1`: figures only, no text of any call. */
import { z } from "zod";
import { armReport, pairReport } from "../analysis/arm-report.ts";
import { fieldAgreement } from "../analysis/field-agreement.ts";
import { regretReport } from "../analysis/regret-report.ts";
import { QUALITY_METRICS } from "../execution/sample.ts";
import { gateReport, OBJECTIVE_MODES } from "../gate/gate-report.ts";
import { judgeReport } from "./judge-report.ts";
import { count, fraction, MOST_ARMS, name, spentUsdText } from "./report-fields.ts";

export const BAKEOFF_SCHEMA = "modelrig.bakeoff/1";

/** What the route asks its arms to be judged by. */
export const objectiveReport = z.strictObject({
  mode: z.enum(OBJECTIVE_MODES),
  /** The regret that is tolerated, as a fraction. */
  max_regret: z.number().min(0).max(1).optional(),
  /** The drop in conformance against the incumbent that is tolerated; and the regret, where no max_regret is declared. */
  max_conformance_drop: fraction,
  /** Largest 95th percentile of latency: milliseconds, or times the incumbent's, as `1.2x`. */
  max_p95_ms: z.union([z.number().positive(), z.string().regex(/^\d+(\.\d+)?x$/)]).optional(),
  /** At most one of the two ceilings: dollars per 1K conformant outputs, or per input sent. */
  usd_per_1k: z.number().nonnegative().optional(),
  usd_per_run: z.number().nonnegative().optional(),
  /** Weight of cost in `balanced`. */
  lambda: z.number().nonnegative().optional(),
  quality_gate: z.strictObject({ min_score: fraction }).optional(),
});

/** Whether anything but the shape of the answers was judged. */
export const answersReport = z.strictObject({
  evidence: z.enum(["checked", "shape"]),
  /** The route declares that its shape is all that counts. */
  accepted: z.boolean(),
  reason: z.string().max(300),
});

/** The ceiling arm, or why there is none. */
const referenceReport = z.strictObject({
  arm: name.optional(),
  by: z.enum(["declared", "probed"]).optional(),
  note: z.string().max(300).optional(),
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
  budget_usd_per_arm: spentUsdText,
  /** Booked for calls whose bill is unknown or whose end an interrupted run never saw; in no arm's figures. */
  unknown_usd: spentUsdText.optional(),
  /** Served by the simulated provider: figures about a simulation. */
  simulated: z.boolean(),
  /** Some arm was stopped early: a partial result cannot propose. */
  partial: z.boolean(),
  inputs: z.strictObject({
    asked: count,
    /** Distinct inputs: each is one sample of each arm. */
    used: count,
    /** Calls they stand for, where some came more than once. */
    weight: count.optional(),
    variables: count,
    messages: count,
    oldest: z.iso.datetime().optional(),
    newest: z.iso.datetime().optional(),
  }),
  /** How the inputs were drawn, and whether that favours no outcome. */
  sampling: z.strictObject({ representative: z.boolean(), text: z.string().max(600) }),
  /** Whether the look is kept where later bake-offs find it, and why not. */
  evidence_store: z.strictObject({ kept: z.boolean(), note: z.string().max(300).optional() }),
  answers: answersReport,
  /** What quality and regret were measured by: the best evidence that enough samples have. */
  metric: z.enum(QUALITY_METRICS),
  /** Without a schema conformance is not measured. */
  schema_declared: z.boolean(),
  objective: objectiveReport,
  reference: referenceReport.optional(),
  judge: judgeReport.optional(),
  incumbent: name,
  /** The one price book that costs are by; absent = each call keeps the bill of its time. */
  prices: z.strictObject({ version: z.string().max(128), at: z.iso.datetime() }).optional(),
  /**
   * Agreement of each challenger with the incumbent, at each place of the schema; what differs most comes first. Absent
   * where outputs were not kept.
   */
  fields: z.array(fieldAgreement).max(4_000).optional(),
  arms: z.array(armReport).min(1).max(MOST_ARMS),
  pairs: z.array(pairReport),
  /** Of every other arm against the reference, and of each challenger against the incumbent. */
  regrets: z.array(regretReport),
  gate: gateReport,
});

export type BakeoffReport = z.infer<typeof bakeoffReport>;
export type ObjectiveReport = z.infer<typeof objectiveReport>;
export type ReferenceReport = z.infer<typeof referenceReport>;
export type AnswersReport = z.infer<typeof answersReport>;
