/** Hands out what a judge is examined on: kind by kind in turn, until each has as many pairs as it takes. */

import { LEAST_PLANTED, PLANTED_PER_KIND } from "./examination.ts";
import { freeTexts } from "./output-texts.ts";
import { type Answered, type MadeKind, originalsOf, plantedOf } from "./plant-pairs.ts";
import {
  isAnswered,
  ordersOf,
  PLANTED_KINDS,
  type PlantedKind,
  type PlantedVerdict,
  plantedKey,
} from "./planted-pair.ts";

/** An original with what it is to stand beside; a rewording is still to be asked for. */
export interface PlantedTask extends Answered {
  readonly kind: PlantedKind;
  /** Absent = `kind` is a wording, and a model has to make it. */
  readonly planted?: unknown;
}

/** With free text in a smaller share of its outputs, a route's answers have no wording to speak of. */
const LEAST_FREE = 0.05;

interface Shelf {
  readonly kind: PlantedKind;
  readonly tasks: PlantedTask[];
  /** Pairs still to be asked. */
  wanted: number;
}

export class PlantedSupply {
  readonly notApplicable: readonly PlantedKind[];
  readonly #shelves: readonly Shelf[];
  #turn = 0;

  /** `done` = verdicts of an earlier, interrupted run: their pairs are not asked again. */
  constructor(answers: readonly Answered[], done: readonly PlantedVerdict[]) {
    const originals = originalsOf(answers);
    const free = originals.filter(({ output }) => freeTexts(output).length > 0);
    const hasWording = free.length > 0 && free.length >= originals.length * LEAST_FREE;
    this.notApplicable = hasWording ? [] : ["padded", "own_wording", "other_wording"];
    const counts = new Map<string, number>();
    for (const verdict of done.filter(isAnswered)) {
      const key = plantedKey(verdict);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    this.#shelves = PLANTED_KINDS.filter((kind) => !this.notApplicable.includes(kind)).map((kind) => {
      const whole = (key: string): boolean => (counts.get(key) ?? 0) >= ordersOf(kind);
      const all = tasksOf(kind, originals, free);
      const open = all.filter(({ input, arm }) => !whole(plantedKey({ kind, input: input.id, arm })));
      const answered = new Set(done.filter((one) => one.kind === kind).map(plantedKey));
      const finished = [...answered].filter(whole).length;
      return { kind, tasks: open, wanted: PLANTED_PER_KIND - finished };
    });
  }

  /** The kind that the outputs are too few for, and how many pairs of it they allow; undefined where there are enough. */
  lacking(): { readonly kind: PlantedKind; readonly pairs: number } | undefined {
    const short = this.#shelves.find(({ tasks, wanted }) => tasks.length + PLANTED_PER_KIND - wanted < LEAST_PLANTED);
    return short && { kind: short.kind, pairs: short.tasks.length + PLANTED_PER_KIND - short.wanted };
  }

  take(): PlantedTask | undefined {
    for (let tried = 0; tried < this.#shelves.length; tried += 1) {
      const shelf = this.#shelves[this.#turn % this.#shelves.length];
      this.#turn += 1;
      const task = shelf && shelf.wanted > 0 ? shelf.tasks.shift() : undefined;
      if (!shelf || !task) continue;
      shelf.wanted -= 1;
      return task;
    }
    return undefined;
  }

  /** Nothing could be asked with this task: another one of its kind is wanted. */
  wasted({ kind }: PlantedTask): void {
    const shelf = this.#shelves.find((one) => one.kind === kind);
    if (shelf) shelf.wanted += 1;
  }
}

function tasksOf(kind: PlantedKind, originals: readonly Answered[], free: readonly Answered[]): PlantedTask[] {
  if (kind === "own_wording" || kind === "other_wording") return free.map((answer) => ({ ...answer, kind }));
  const made: MadeKind = kind;
  return [...plantedOf(made, originals)].map(({ input, arm, original, planted }) => {
    return { kind, input, arm, output: original, planted };
  });
}
