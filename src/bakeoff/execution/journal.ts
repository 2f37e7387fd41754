/** The journal of a bake-off: its plan, then a line per sample and per verdict of the judge, those of its examination included. Holds no text of a call. */
import { z } from "zod";
import { FAILURE_CLASSES, type FailureReason } from "../../failure/failure.ts";
import { parsedJson } from "../../json/parsed.ts";
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from "../../money/nano-usd.ts";
import type { Usage } from "../../money/usage.ts";
import { RUNGS } from "../../route/route.ts";
import type { JudgeVerdict } from "../judge/judge-verdict.ts";
import { PLANTED_KINDS, type PlantedVerdict } from "../judge/planted-pair.ts";
import { type JournalPlan, journalPlan } from "../plan/journal-plan.ts";
import { QUALITY_METRICS, type Sample } from "./sample.ts";

const nano = z.int().transform((amount): NanoUsd => nanoUsd(amount));

const planLine = journalPlan.extend({ type: z.literal("plan") });

const failure = z
  .object({ class: z.enum([...FAILURE_CLASSES, "value_check"]), reason: z.custom<FailureReason>().optional() })
  .optional();

const bill = z.object({
  provider: z.string(),
  model: z.string(),
  tier: z.enum(["standard", "flex", "priority", "batch"]),
  usage: z.custom<Usage>().optional(),
  cost: nano.optional(),
});

const sampleLine = z.object({
  type: z.literal("sample"),
  arm: z.string(),
  input: z.string(),
  outcome: z.enum(["conformant", "nonconformant", "ungraded", "failed", "refused"]),
  failure,
  cost: nano.optional(),
  costEstimated: z.boolean(),
  bills: z.array(bill).optional(),
  repairCost: nano,
  latencyMs: z.number(),
  attempts: z.int(),
  served: z.string().optional(),
  rung: z.enum([...RUNGS, "none"]).optional(),
  checks: z.object({ passed: z.int(), failed: z.int() }).optional(),
  quality: z.object({ metric: z.enum(QUALITY_METRICS), score: z.number().min(0).max(1) }).optional(),
  simulated: z.boolean(),
});

const verdictLine = z.object({
  type: z.literal("verdict"),
  input: z.string(),
  arm: z.string(),
  against: z.string(),
  first: z.enum(["arm", "against"]),
  by: z.enum(["asked", "identical", "no_output"]),
  scores: z.object({ arm: z.number(), against: z.number() }).optional(),
  failure,
  cost: nano.optional(),
  costEstimated: z.boolean(),
  attempts: z.int(),
});

const plantedLine = z.object({
  type: z.literal("planted"),
  kind: z.enum(PLANTED_KINDS),
  input: z.string(),
  arm: z.string(),
  first: z.enum(["original", "planted"]),
  notReworded: z.boolean().optional(),
  scores: z.object({ original: z.number(), planted: z.number() }).optional(),
  failure,
  cost: nano.optional(),
  costEstimated: z.boolean(),
  attempts: z.int(),
});

/** What is booked for an arm, or for the judge under `JUDGE_BOOKS`: an unknown bill counts as its bound. */
const spentLine = z.object({ type: z.literal("spent"), arm: z.string(), spent: nano });

/** Written before a request is sent: what it can cost at most, by its reservation. */
const intentLine = z.object({ type: z.literal("intent"), id: z.string(), arm: z.string(), most: nano });

/** What a request came to. Without this line its intent counts as spent whole. */
const endLine = z.object({ type: z.literal("end"), id: z.string(), booked: nano });

const finishedLine = z.discriminatedUnion("type", [
  sampleLine,
  verdictLine,
  plantedLine,
  spentLine,
  intentLine,
  endLine,
]);

/** Under this name the journal books what the judge costs; no arm is named so. */
export const JUDGE_BOOKS = "";

export interface BakeoffJournal {
  readonly plan: JournalPlan;
  readonly samples: readonly Sample[];
  readonly verdicts: readonly JudgeVerdict[];
  readonly planted: readonly PlantedVerdict[];
  /** By arm, the judge's under `JUDGE_BOOKS`: never less than what was booked when the last line was written. */
  readonly spent: ReadonlyMap<string, NanoUsd>;
}

export function planText(plan: JournalPlan): string {
  return `${JSON.stringify({ type: "plan", ...plan })}\n`;
}

export function sampleText(sample: Sample): string {
  return `${JSON.stringify({ type: "sample", ...sample })}\n`;
}

export function verdictText(verdict: JudgeVerdict): string {
  return `${JSON.stringify({ type: "verdict", ...verdict })}\n`;
}

export function plantedText(verdict: PlantedVerdict): string {
  return `${JSON.stringify({ type: "planted", ...verdict })}\n`;
}

export function intentText(id: string, arm: string, most: NanoUsd): string {
  return `${JSON.stringify({ type: "intent", id, arm, most })}\n`;
}

export function endText(id: string, booked: NanoUsd): string {
  return `${JSON.stringify({ type: "end", id, booked })}\n`;
}

export function spentText(arm: string, spent: NanoUsd): string {
  return `${JSON.stringify({ type: "spent", arm, spent })}\n`;
}

/** A sample as a line of the journal holds it; `undefined` for anything else. */
export function parsedSample(value: unknown): Sample | undefined {
  const read = sampleLine.safeParse(value);
  if (!read.success) return undefined;
  const { type: _type, ...sample } = read.data;
  return sample;
}

/**
 * Reads a journal back. A last line that was cut by a crash is dropped; anything else that is not a journal is
 * `undefined`.
 */
export function readJournal(text: string): BakeoffJournal | undefined {
  const lines = text.split("\n");
  // A line without its line break was never finished.
  lines.pop();
  const [first, ...rest] = lines.map(parsedJson);
  const plan = planLine.safeParse(first);
  if (!plan.success) return undefined;
  const samples: Sample[] = [];
  const verdicts: JudgeVerdict[] = [];
  const planted: PlantedVerdict[] = [];
  const spent = new Map<string, NanoUsd>();
  const book = (arm: string, cost: NanoUsd | undefined): void => {
    spent.set(arm, addUsd(spent.get(arm) ?? ZERO_USD, cost ?? ZERO_USD));
  };
  const requests = new Map<string, { readonly arm: string; booked: NanoUsd }>();
  for (const line of rest) {
    const finished = finishedLine.safeParse(line);
    if (!finished.success) return undefined;
    const { type: _type, ...content } = finished.data;
    if ("most" in content) {
      requests.set(content.id, { arm: content.arm, booked: content.most });
      continue;
    }
    if ("booked" in content) {
      const request = requests.get(content.id);
      if (request) request.booked = content.booked;
      continue;
    }
    if ("spent" in content) {
      spent.set(content.arm, nanoUsd(Math.max(content.spent, spent.get(content.arm) ?? 0)));
      continue;
    }
    book("outcome" in content ? content.arm : JUDGE_BOOKS, content.cost);
    if ("outcome" in content) samples.push(content);
    else if ("kind" in content) planted.push(content);
    else verdicts.push(content);
  }
  const requested = new Map<string, NanoUsd>();
  for (const { arm, booked } of requests.values()) {
    requested.set(arm, addUsd(requested.get(arm) ?? ZERO_USD, booked));
  }
  for (const [arm, booked] of requested) spent.set(arm, nanoUsd(Math.max(booked, spent.get(arm) ?? 0)));
  const { type: _plan, ...read } = plan.data;
  return { plan: read, samples, verdicts, planted, spent };
}
