/** A bake-off that runs at the edge over eval cases: what it is, and how it is cut into batches. */
import { z } from "zod";
import { nanoUsd } from "../../money/nano-usd.ts";
import { QUALITY_METRICS } from "../execution/sample.ts";
import { journalPlan } from "../plan/journal-plan.ts";

/** Enough to go on with after every process that knew more is gone. Holds no text of an input. */
export const hostedPlan = z.object({
  journal: journalPlan,
  inputs: z.array(
    z.object({
      id: z.string(),
      at: z.int(),
      kind: z.enum(["variables", "messages"]),
      cluster: z.string().optional(),
      weight: z.int().positive().optional(),
      question: z.string(),
    }),
  ),
  /** Of all inputs together: a batch must not choose its own. */
  metric: z.enum(QUALITY_METRICS).optional(),
  /** Whose monthly limit it draws on, beside the org's, and what its calls are tagged with. */
  key: z.object({
    id: z.string(),
    tags: z.record(z.string(), z.string()),
    monthly_nano: z
      .int()
      .transform((limit) => nanoUsd(limit))
      .optional(),
  }),
  /** Of the request: sent again under the same key it is the same bake-off, and another request is not. */
  digest: z.string(),
  /** Batch with which the workflow that is at it began. */
  from: z.int().nonnegative(),
});

export type HostedPlan = z.infer<typeof hostedPlan>;
