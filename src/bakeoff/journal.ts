/** The journal of a bake-off: its plan, then one line per finished sample. What resume needs, and no text of a call. */
import { z } from "zod";
import { FAILURE_CLASSES, type FailureReason } from "../failure/failure.ts";
import { type NanoUsd, nanoUsd } from "../money/nano-usd.ts";
import { RUNGS } from "../route/route.ts";
import type { Sample } from "./sample.ts";

const nano = z.int().transform((amount): NanoUsd => nanoUsd(amount));

const planLine = z.object({
  type: z.literal("plan"),
  id: z.string(),
  route: z.string(),
  route_hash: z.string(),
  variants: z.array(z.string()),
  incumbent: z.string(),
  /** Ids of the inputs. */
  inputs: z.array(z.string()),
  asked: z.int(),
  budget_nano: nano,
  concurrency: z.int().positive(),
  seed: z.int().nonnegative(),
  started_at: z.iso.datetime(),
});

const sampleLine = z.object({
  type: z.literal("sample"),
  arm: z.string(),
  input: z.string(),
  outcome: z.enum(["conformant", "nonconformant", "ungraded", "failed", "refused"]),
  failure: z
    .object({ class: z.enum([...FAILURE_CLASSES, "value_check"]), reason: z.custom<FailureReason>().optional() })
    .optional(),
  cost: nano.optional(),
  costEstimated: z.boolean(),
  repairCost: nano,
  latencyMs: z.number(),
  attempts: z.int(),
  served: z.string().optional(),
  rung: z.enum([...RUNGS, "none"]).optional(),
  checks: z.object({ passed: z.int(), failed: z.int() }).optional(),
  simulated: z.boolean(),
});

export type JournalPlan = Omit<z.infer<typeof planLine>, "type">;

export interface Journal {
  readonly plan: JournalPlan;
  readonly samples: readonly Sample[];
}

export function planText(plan: JournalPlan): string {
  return `${JSON.stringify({ type: "plan", ...plan })}\n`;
}

export function sampleText(sample: Sample): string {
  return `${JSON.stringify({ type: "sample", ...sample })}\n`;
}

/**
 * Reads a journal back. A last line that was cut by a crash is dropped; anything else that is not a journal is
 * `undefined`.
 */
export function readJournal(text: string): Journal | undefined {
  const lines = text.split("\n");
  // What stands after the last line break was never finished.
  lines.pop();
  const [first, ...rest] = lines.map(parsed);
  const plan = planLine.safeParse(first);
  if (!plan.success) return undefined;
  const samples: Sample[] = [];
  for (const line of rest) {
    const sample = sampleLine.safeParse(line);
    if (!sample.success) return undefined;
    const { type: _type, ...read } = sample.data;
    samples.push(read);
  }
  const { type: _plan, ...read } = plan.data;
  return { plan: read, samples };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Reported by the schema as a line of the wrong shape.
    return undefined;
  }
}
