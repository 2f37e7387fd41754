/** What a gate decided, clause by clause. */
import { z } from "zod";
import type { ObjectiveMode } from "../../route/route.ts";
import { count, name, spentUsdText } from "../report/report-fields.ts";

export const OBJECTIVE_MODES = ["quality-first", "balanced", "cost-first"] as const satisfies readonly ObjectiveMode[];

const CLAUSES = [
  "bound",
  "complete",
  "sampling",
  "evidence",
  "schema",
  "reference",
  "judge",
  "pairs",
  "clusters",
  "agreement",
  "priced",
  "conformance",
  "conformance_drop",
  "quality",
  "regret",
  "incumbent_regret",
  "effective_cost",
  "price_ceiling",
  "latency",
  "improvement",
  "score",
] as const;
export type ClauseName = (typeof CLAUSES)[number];

/** better: below the reference is excluded; equivalent: within the limit; worse: beyond it. The others are open. */
const VERDICTS = ["better", "worse", "equivalent", "continue", "inconclusive"] as const;

/** Characters. */
export const LONGEST_REASON = 300;

const clause = z.strictObject({
  clause: z.enum(CLAUSES),
  met: z.boolean(),
  challenger: z.number().optional(),
  incumbent: z.number().optional(),
  /** What the challenger's figure is held against, where that is declared and not the incumbent's. */
  limit: z.number().optional(),
  reason: z.string().max(LONGEST_REASON),
});

export const armVerdict = z.strictObject({
  arm: name,
  clears: z.boolean(),
  clauses: z.array(clause),
  /** By the bounds of the regret alone; absent where there are none. */
  verdict: z.enum(VERDICTS).optional(),
  /**
   * Of `continue`: further items that would decide in a tenth and in nine tenths of the simulated futures, the share of
   * them that decide at all, and what the items of `low` cost at the rates seen.
   */
  needs: z
    .strictObject({
      low: count,
      high: count.optional(),
      chance: z.number().min(0).max(1),
      usd: spentUsdText.optional(),
    })
    .optional(),
  /** The paired cost ratio's interval lies below 1, on enough samples to claim a saving. */
  cost_separated: z.boolean(),
  /** Fraction of effective cost saved; only where `cost_separated`. */
  saving: z.strictObject({ fraction: z.number(), low: z.number(), high: z.number() }).optional(),
});

export const gateReport = z.strictObject({
  kind: z.enum(OBJECTIVE_MODES),
  verdicts: z.array(armVerdict),
  /** The arm to file a proposal for. */
  proposes: name.optional(),
  reason: z.string().max(LONGEST_REASON),
});

export type Verdict = (typeof VERDICTS)[number];
export type GateClause = z.infer<typeof clause>;
export type ArmVerdict = z.infer<typeof armVerdict>;
export type GateReport = z.infer<typeof gateReport>;
