/** The states that a pattern becomes: a nondeterministic automaton whose choices are ordered by preference. */
import type { PatternFault, PatternNode, RepeatNode } from "./pattern-syntax.ts";

type PatternState =
  | { readonly kind: "one"; readonly atom: number; readonly next: number }
  | { readonly kind: "any"; readonly next: number }
  /** `first` is preferred: more for a greedy repetition, the earlier one of alternatives. */
  | { readonly kind: "split"; first: number; second: number }
  | { readonly kind: "assert"; readonly assertion: number; readonly next: number }
  | { readonly kind: "accept" };

export interface PatternProgram {
  readonly states: readonly PatternState[];
  readonly entry: number;
  /** The assertions that its own states ask about. */
  readonly asks: readonly number[];
}

/** Counted repetitions are written out, so `(a{1,100}){1,100}` is 10,000 states. */
const MAX_STATES = 10_000;
/** The state sets of the matcher differ by which assertions hold, one bit each. */
const MAX_ASKS = 20;

interface ProgramShape {
  /** Reads the text from its end to its start. */
  readonly backwards: boolean;
  /** A match may start anywhere, not only where the matching starts. */
  readonly anywhere: boolean;
}

/** Throws {@link PatternTooLarge}. */
export function programOf(root: PatternNode, shape: ProgramShape): PatternProgram {
  const builder = new ProgramBuilder(shape.backwards);
  const entry = builder.build(root, builder.add({ kind: "accept" }));
  if (!shape.anywhere) return builder.program(entry);
  const loop = { kind: "split" as const, first: entry, second: 0 };
  const start = builder.add(loop);
  loop.second = builder.add({ kind: "any", next: start });
  return builder.program(start);
}

export class PatternTooLarge extends RangeError {
  readonly fault: PatternFault;

  constructor(at: number, message: string) {
    super(message);
    this.fault = { at, message };
  }
}

class ProgramBuilder {
  readonly #states: PatternState[] = [];
  readonly #asks = new Set<number>();
  readonly #backwards: boolean;
  /** Where the innermost repetition stands that is being written out. */
  #at = 0;

  constructor(backwards: boolean) {
    this.#backwards = backwards;
  }

  program(entry: number): PatternProgram {
    return { states: this.#states, entry, asks: [...this.#asks] };
  }

  add(state: PatternState): number {
    if (this.#states.length >= MAX_STATES) {
      throw new PatternTooLarge(this.#at, `takes more than ${MAX_STATES} states, its counted repetitions written out`);
    }
    return this.#states.push(state) - 1;
  }

  /** The state at which `node` begins, where `next` is what follows it. */
  build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "one":
        return this.add({ kind: "one", atom: node.atom, next });
      case "assert":
        this.#asks.add(node.assertion);
        if (this.#asks.size > MAX_ASKS) throw new PatternTooLarge(this.#at, `makes more than ${MAX_ASKS} assertions`);
        return this.add({ kind: "assert", assertion: node.assertion, next });
      case "sequence": {
        const parts = this.#backwards ? node.parts : node.parts.toReversed();
        return parts.reduce((following, part) => this.build(part, following), next);
      }
      case "choice":
        return node.options
          .map((option) => this.build(option, next))
          .reduceRight((second, first) => this.add({ kind: "split", first, second }));
      case "repeat":
        return this.#repeat(node, next);
    }
  }

  #repeat({ body, least, most, lazy, at }: RepeatNode, next: number): number {
    const around = this.#at;
    this.#at = at;
    let entry = next;
    if (most === Number.POSITIVE_INFINITY) {
      const loop = { kind: "split" as const, first: next, second: next };
      entry = this.add(loop);
      loop[lazy ? "second" : "first"] = this.build(body, entry);
    }
    for (let copy = least; most !== Number.POSITIVE_INFINITY && copy < most; copy += 1) {
      const more = this.build(body, entry);
      entry = this.add(
        lazy ? { kind: "split", first: next, second: more } : { kind: "split", first: more, second: next },
      );
    }
    for (let copy = 0; copy < least; copy += 1) {
      const before = entry;
      entry = this.build(body, before);
      // A body without states repeats to nothing, however often.
      if (entry === before) break;
    }
    this.#at = around;
    return entry;
  }
}
