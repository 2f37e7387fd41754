/** Runs a pattern's program over classes of code points, remembering the sets of states it meets (a lazy DFA). */
import type { Steps } from "../steps.ts";
import type { PatternProgram } from "./pattern-program.ts";

/** States that wait for a code point, the preferred first. */
export interface StateSet {
  readonly waiting: readonly number[];
  /** A match ends here. */
  readonly accepts: boolean;
  readonly next: Map<number, StateSet>;
}

/** Code points that every atom of the pattern treats alike. */
export interface PointClass {
  readonly id: number;
  /** By atom: whether it accepts these. */
  readonly taken: readonly boolean[];
}

/** Remembered states beyond this, in all sets together, are forgotten and worked out again. */
const MAX_REMEMBERED = 20_000;
/** More classes than this do not occur together with a bit for each assertion in one exact number. */
const CLASS_RANGE = 2 ** 24;

export class StateSets {
  readonly #program: PatternProgram;
  /** Where a match ends, less preferred states are dropped: what follows is the preferred match alone. */
  readonly #preferring: boolean;
  #sets = new Map<string, StateSet>();
  #starts = new Map<number, StateSet>();
  #remembered = 0;

  constructor(program: PatternProgram, preferring: boolean) {
    this.#program = program;
    this.#preferring = preferring;
  }

  /** `holds` has a bit for each assertion that the program asks about, in the order of `asks`. */
  start(holds: number, steps: Steps): StateSet {
    const known = this.#starts.get(holds);
    if (known) return known;
    const set = this.#close([this.#program.entry], holds, steps);
    this.#starts.set(holds, set);
    return set;
  }

  after(set: StateSet, point: PointClass, holds: number, steps: Steps): StateSet {
    steps.take();
    const key = holds * CLASS_RANGE + point.id;
    const known = set.next.get(key);
    if (known) return known;
    const moved: number[] = [];
    for (const id of set.waiting) {
      const state = this.#program.states[id];
      if (state?.kind === "any" || (state?.kind === "one" && point.taken[state.atom])) moved.push(state.next);
    }
    steps.take(set.waiting.length);
    const next = this.#close(moved, holds, steps);
    set.next.set(key, next);
    return next;
  }

  /** Follows everything that takes no code point, in order of preference. */
  #close(from: readonly number[], holds: number, steps: Steps): StateSet {
    const { states, asks } = this.#program;
    const pending = from.toReversed();
    const seen = new Set<number>();
    const waiting: number[] = [];
    let accepts = false;
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const state = states[id];
      if (state === undefined || seen.has(id)) continue;
      steps.take();
      seen.add(id);
      if (state.kind === "split") pending.push(state.second, state.first);
      else if (state.kind === "assert") {
        if ((holds >> asks.indexOf(state.assertion)) & 1) pending.push(state.next);
      } else if (state.kind !== "accept") waiting.push(id);
      else {
        accepts = true;
        if (this.#preferring) break;
      }
    }
    return this.#remember(waiting, accepts);
  }

  #remember(waiting: readonly number[], accepts: boolean): StateSet {
    const key = `${accepts ? "+" : ""}${waiting.join(" ")}`;
    const known = this.#sets.get(key);
    if (known) return known;
    this.#remembered += waiting.length + 1;
    if (this.#remembered > MAX_REMEMBERED) {
      for (const set of this.#sets.values()) set.next.clear();
      this.#sets = new Map();
      this.#starts = new Map();
      this.#remembered = waiting.length + 1;
    }
    const set: StateSet = { waiting, accepts, next: new Map() };
    this.#sets.set(key, set);
    return set;
  }
}
