/** What the examination of a judge found, and whether the judge may be used after it. */
import { z } from "zod";
import { canonicalHash } from "../../route/canonical.ts";
import type { Candidate, Route } from "../../route/route.ts";
import { percent } from "../../stats/rate-text.ts";
import { wilson } from "../../stats/wilson.ts";
import { count, fraction, name } from "../report/report-fields.ts";
import { RUBRIC, VERDICT_SCHEMA } from "./judge-call.ts";
import { PLANTED_KINDS, type PlantedKind, type PlantedVerdict, tallyOfKind } from "./planted-pair.ts";

/** Fewer pairs of a kind examine nothing. */
export const LEAST_PLANTED = 50;
/** Pairs asked of each kind: a judge that is wrong in 3% of its verdicts fails one kind by chance in 1 of 600 examinations. */
export const PLANTED_PER_KIND = 70;
/** The lower bound (Wilson, 95%) of right verdicts must reach this in each kind. */
const LEAST_RIGHT = 0.8;
/** Of pairs asked in both orders. */
const MOST_FLIPPED = 0.15;
/** With fewer pairs of a bake-off's own judged in both orders their flips say nothing. */
const LEAST_BOTH_ORDERS = 20;

const EXAMINED_FOR_MS = 30 * 86_400_000;

const kindReport = z.strictObject({
  kind: z.enum(PLANTED_KINDS),
  asked: count,
  right: count,
  /** Lower bound of the share of right verdicts, Wilson 95%. Absent where nothing was asked. */
  low: fraction.optional(),
  /** The route's outputs hold no free text, so that nothing could be reworded or padded. */
  not_applicable: z.boolean().optional(),
});

export const examinationReport = z.strictObject({
  at: z.iso.datetime(),
  /** The bake-off whose outputs it was made of. */
  bakeoff: name,
  kinds: z.array(kindReport).length(PLANTED_KINDS.length),
  /** Planted pairs asked in both orders, and those whose two answers named opposite winners. */
  both_orders: count,
  flipped: count,
});

export type Examination = z.infer<typeof examinationReport>;

export function examinationOf(
  verdicts: readonly PlantedVerdict[],
  notApplicable: readonly PlantedKind[],
  { bakeoff, at }: { readonly bakeoff: string; readonly at: number },
): Examination {
  const tallies = PLANTED_KINDS.map((kind) => tallyOfKind(kind, verdicts));
  const swapped = tallies.find(({ kind }) => kind === "swapped");
  return {
    at: new Date(at).toISOString(),
    bakeoff,
    kinds: tallies.map(({ kind, asked, right }) => ({
      kind,
      asked,
      right,
      low: wilson(right, asked)?.low,
      ...(notApplicable.includes(kind) && { not_applicable: true }),
    })),
    both_orders: swapped?.asked ?? 0,
    flipped: swapped?.flipped ?? 0,
  };
}

/** Why a judge is unusable after this examination; undefined where it may be used. Worked out from the counts alone. */
export function examinationFault({ kinds, both_orders: both, flipped }: Examination): string | undefined {
  const faults = kinds
    .filter(({ not_applicable: none }) => none !== true)
    .flatMap(({ kind, asked, right }) => {
      const low = wilson(right, asked)?.low ?? 0;
      if (asked < LEAST_PLANTED) return [`${kindWords(kind)}: ${asked} pairs, ${LEAST_PLANTED} needed`];
      if (low >= LEAST_RIGHT) return [];
      return [
        `${kindWords(kind)}: ${right} of ${asked} right, lower bound ${percent(low)}%, ${percent(LEAST_RIGHT)}% needed`,
      ];
    });
  if (both > 0 && flipped / both > MOST_FLIPPED) faults.push(flipFault(flipped, both));
  return faults.length === 0 ? undefined : faults.join("; ");
}

/** The same of a bake-off's own pairs: why the judge is unusable after all. */
export function ownFlips(flipped: number, of: number): string | undefined {
  return of >= LEAST_BOTH_ORDERS && flipped / of > MOST_FLIPPED ? flipFault(flipped, of) : undefined;
}

function flipFault(flipped: number, of: number): string {
  return `${flipped} of ${of} verdicts flipped with the order, at most ${percent(MOST_FLIPPED)}% allowed`;
}

const KIND_WORDS = {
  identical: "identical answers",
  damaged: "damaged answers",
  other_input: "answers to another input",
  padded: "padded answers",
  swapped: "swapped order",
  own_wording: "the judge's own wording",
  other_wording: "another model's wording",
} as const satisfies Record<PlantedKind, string>;

export function kindWords(kind: PlantedKind): string {
  return KIND_WORDS[kind];
}

/** Where examinations are kept: at the gateway where there is one, else on this machine. */
export interface ExaminationStore {
  /** The newest of this subject, however old. */
  find(subject: string): Promise<Examination | undefined>;
  /** Rejects where it cannot be kept. */
  keep(subject: string, examination: Examination): Promise<void>;
}

/** The newest examination of the last 30 days. */
export async function standingExamination(
  store: ExaminationStore,
  subject: string,
  now: number,
): Promise<Examination | undefined> {
  const found = await store.find(subject);
  return found && now - Date.parse(found.at) < EXAMINED_FOR_MS ? found : undefined;
}

/** What an examination holds for: a judge with its parameters, the rubric, and the route as the judge sees it. */
export async function examinationSubject(route: Route, { key, params }: Candidate): Promise<string> {
  const { name: route_name, description, template, output } = route;
  const subject = { route_name, description, template, schema: output?.schema, judge: { key, params } };
  return (await canonicalHash({ ...subject, rubric: RUBRIC, verdict: VERDICT_SCHEMA })).slice(0, 32);
}
