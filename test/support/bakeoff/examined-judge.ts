import { type Examination, type ExaminationStore, LEAST_PLANTED } from "../../../src/bakeoff/judge/examination.ts";
import { PLANTED_KINDS } from "../../../src/bakeoff/judge/planted-pair.ts";
import { wilson } from "../../../src/stats/wilson.ts";

/** An examination in which every verdict was right. */
export function passedExamination(more: Partial<Examination> = {}): Examination {
  const asked = LEAST_PLANTED;
  return {
    at: "2026-11-28T12:00:00.000Z",
    bakeoff: "bo_0",
    kinds: PLANTED_KINDS.map((kind) => ({ kind, asked, right: asked, low: wilson(asked, asked)?.low })),
    both_orders: asked,
    flipped: 0,
    ...more,
  };
}

/** Remembers that every judge passed, whenever it is asked. */
export function everyJudgePassed(at: number): ExaminationStore {
  return {
    find: async () => passedExamination({ at: new Date(at).toISOString() }),
    keep: async () => undefined,
  };
}
