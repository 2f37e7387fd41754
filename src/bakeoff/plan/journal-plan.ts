import { z } from "zod";
import { type NanoUsd, nanoUsd } from "../../money/nano-usd.ts";

const nano = z.int().transform((amount): NanoUsd => nanoUsd(amount));

/** What a bake-off was asked for, resolved. Everything in it is checked; arms and inputs are made from it. */
export const journalPlan = z.object({
  id: z.string(),
  route: z.string(),
  route_hash: z.string(),
  variants: z.array(z.string()),
  /** Variants left out because each serves the same as the one it names. */
  same: z.record(z.string(), z.string()).optional(),
  incumbent: z.string(),
  /** What was resolved, so that resuming resolves nothing anew: the registry may know more by then. */
  reference: z
    .union([
      z.object({ candidate: z.string(), by: z.enum(["declared", "probed"]) }),
      z.object({ none: z.string().describe("Why there is none.") }),
    ])
    .optional(),
  objective: z.enum(["quality-first", "balanced", "cost-first"]).optional(),
  /** Recorded calls asked for. */
  asked: z.int(),
  /** How the inputs were drawn, in words. */
  sampling: z.string(),
  /** Whether that favours no outcome: inputs that were picked for theirs find faults and prove nothing. */
  representative: z.boolean(),
  budget_nano: nano,
  total_nano: nano.optional(),
  judge_day_nano: nano,
  concurrency: z.int().positive(),
  per_provider: z.int().positive().optional(),
  seed: z.int().nonnegative(),
  keep_outputs: z.int().nonnegative(),
  proposal: z.string().optional(),
  started_at: z.iso.datetime(),
});

export type JournalPlan = z.infer<typeof journalPlan>;
