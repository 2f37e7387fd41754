/**
 * Regular expressions from outside, matched in steps that grow with the text and never with the ways to match it.
 * The answer is ECMAScript's (`u` flag): each single character is judged by the engine itself, the pattern by an
 * automaton. Backtracking, as in the engine, takes exponential time for patterns such as `^(a|aa)+$`.
 */
import { err, ok, type Result } from "../../failure/failure.ts";
import { Steps } from "../steps.ts";
import { prefersNothing } from "./pattern-preference.ts";
import { type PatternProgram, PatternTooLarge, programOf } from "./pattern-program.ts";
import { type Assertion, type PatternFault, type PatternTree, parsePattern } from "./pattern-syntax.ts";
import { type PointClass, type StateSet, StateSets } from "./state-sets.ts";

interface PatternMatch {
  /** Indices in UTF-16 units; `end` is behind the match. */
  readonly start: number;
  readonly end: number;
}

/** The matcher of a pattern, or why and where it is refused. */
export function compilePattern(source: string): Result<Pattern, PatternFault> {
  const tree = parsePattern(source);
  if (!tree.ok) return tree;
  try {
    return ok(new Pattern(tree.value));
  } catch (error) {
    if (error instanceof PatternTooLarge) return err(error.fault);
    throw error;
  }
}

/** The same for a pattern whose matches are to be found, not only whether there is one. */
export function compileFinder(source: string): Result<Pattern, PatternFault> {
  const tree = parsePattern(source);
  if (!tree.ok) return tree;
  const unclear = prefersNothing(tree.value.root);
  return unclear === undefined ? compilePattern(source) : err(unclear);
}

/** What is wrong with a pattern, for people; `undefined` where it can be matched. */
export function patternFault(source: string): string | undefined {
  const compiled = compilePattern(source);
  return compiled.ok ? undefined : told(compiled.error);
}

/** The same of a pattern whose matches are to be found. */
export function finderFault(source: string): string | undefined {
  const compiled = compileFinder(source);
  return compiled.ok ? undefined : told(compiled.error);
}

function told({ at, message }: PatternFault): string {
  return `${message} (at character ${at} of the pattern)`;
}

/** Remembered code points beyond this are forgotten and judged again. */
const MAX_POINTS = 10_000;

/** A program with the sets of states it met. */
interface Machine {
  readonly program: PatternProgram;
  readonly sets: StateSets;
}

export class Pattern {
  /** States of all its programs: what it takes to hold and, times the length of a text, at most to match. */
  readonly size: number;
  readonly #tree: PatternTree;
  readonly #tester: Machine;
  /** By assertion: what finds the positions where a lookaround holds. */
  readonly #looks: readonly (Machine | undefined)[];
  #finder: { readonly starts: Machine; readonly ends: Machine } | undefined;
  #points = new Map<number, PointClass>();
  readonly #classes = new Map<string, PointClass>();

  /** Throws `PatternTooLarge`; made by {@link compilePattern}. */
  constructor(tree: PatternTree) {
    this.#tree = tree;
    this.#tester = machine(programOf(tree.root, { backwards: false, anywhere: true }));
    this.#looks = tree.assertions.map((assertion) =>
      assertion.kind === "look"
        ? machine(programOf(assertion.body, { backwards: !assertion.behind, anywhere: true }))
        : undefined,
    );
    this.size = [this.#tester, ...this.#looks].reduce((sum, one) => sum + (one?.program.states.length ?? 0), 0);
  }

  /** Whether some part of the text matches. Throws `TooManySteps`. */
  test(text: string, steps = new Steps()): boolean {
    const reading = this.#read(text, steps);
    const { program, sets } = this.#tester;
    let set = sets.start(this.#holds(reading, program, 0), steps);
    for (let at = 0; !set.accepts && at < reading.points.length; at += 1) {
      set = sets.after(set, this.#at(reading, at), this.#holds(reading, program, at + 1), steps);
    }
    return set.accepts;
  }

  /** Every match from left to right, none overlapping, as `String.prototype.matchAll` has them. Throws `TooManySteps`. */
  matches(text: string, steps = new Steps()): PatternMatch[] {
    this.#finder ??= {
      starts: machine(programOf(this.#tree.root, { backwards: true, anywhere: true })),
      ends: machine(programOf(this.#tree.root, { backwards: false, anywhere: false }), true),
    };
    const reading = this.#read(text, steps);
    const starts = this.#holding(reading, this.#finder.starts, true, steps);
    const offsets = offsetsOf(reading.points);
    const found: PatternMatch[] = [];
    for (let at = 0; at <= reading.points.length; at += 1) {
      if (starts[at] !== 1) continue;
      const end = this.#endFrom(reading, this.#finder.ends, at, steps);
      found.push({ start: offsets[at] ?? 0, end: offsets[end] ?? 0 });
      if (end > at) at = end - 1;
    }
    return found;
  }

  /** The end of the preferred match that starts at `start`. */
  #endFrom(reading: Reading, { program, sets }: Machine, start: number, steps: Steps): number {
    let set = sets.start(this.#holds(reading, program, start), steps);
    let end = start;
    for (let at = start; set.waiting.length > 0 && at < reading.points.length; at += 1) {
      set = sets.after(set, this.#at(reading, at), this.#holds(reading, program, at + 1), steps);
      if (set.accepts) end = at + 1;
    }
    return end;
  }

  #read(text: string, steps: Steps): Reading {
    steps.take(text.length);
    const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
    const looks: (Uint8Array | undefined)[] = [];
    const reading: Reading = { points, classes: new Array(points.length), looks, steps };
    for (const [index, look] of this.#looks.entries()) {
      const assertion = this.#tree.assertions[index];
      if (look === undefined || assertion?.kind !== "look") looks.push(undefined);
      else looks.push(this.#holding(reading, look, !assertion.behind, steps));
    }
    return reading;
  }

  /** By position: 1 where a match of the program ends, read forwards or backwards. */
  #holding(reading: Reading, { program, sets }: Machine, backwards: boolean, steps: Steps): Uint8Array {
    const { length } = reading.points;
    const holding = new Uint8Array(length + 1);
    const first = backwards ? length : 0;
    let set: StateSet = sets.start(this.#holds(reading, program, first), steps);
    holding[first] = set.accepts ? 1 : 0;
    for (let done = 1; done <= length; done += 1) {
      const position = backwards ? length - done : done;
      const point = this.#at(reading, backwards ? position : position - 1);
      set = sets.after(set, point, this.#holds(reading, program, position), steps);
      holding[position] = set.accepts ? 1 : 0;
    }
    return holding;
  }

  #holds(reading: Reading, { asks }: PatternProgram, position: number): number {
    let bits = 0;
    for (let index = 0; index < asks.length; index += 1) {
      const id = asks[index] ?? 0;
      const assertion = this.#tree.assertions[id];
      if (assertion && this.#holdsAt(reading, assertion, id, position)) bits |= 1 << index;
    }
    return bits;
  }

  #holdsAt(reading: Reading, assertion: Assertion, id: number, position: number): boolean {
    const { points } = reading;
    switch (assertion.kind) {
      case "start":
        return position === 0 || (assertion.multiline && isLineEnd(points[position - 1]));
      case "end":
        return position === points.length || (assertion.multiline && isLineEnd(points[position]));
      case "boundary": {
        const before = position > 0 && this.#at(reading, position - 1).taken[assertion.word] === true;
        const behind = position < points.length && this.#at(reading, position).taken[assertion.word] === true;
        return (before !== behind) !== assertion.negated;
      }
      case "look":
        return (reading.looks[id]?.[position] === 1) !== assertion.negated;
    }
  }

  /** The class of the code point at `index`. */
  #at(reading: Reading, index: number): PointClass {
    const known = reading.classes[index];
    if (known) return known;
    const point = this.#classOf(reading.points[index] ?? 0, reading.steps);
    reading.classes[index] = point;
    return point;
  }

  #classOf(point: number, steps: Steps): PointClass {
    const known = this.#points.get(point);
    if (known) return known;
    const character = String.fromCodePoint(point);
    steps.take(this.#tree.atoms.length);
    const taken = this.#tree.atoms.map((atom) => atom.test(character));
    const key = taken.map(Number).join("");
    const found = this.#classes.get(key) ?? { id: this.#classes.size, taken };
    this.#classes.set(key, found);
    if (this.#points.size >= MAX_POINTS) this.#points = new Map();
    this.#points.set(point, found);
    return found;
  }
}

/** A text as the programs read it. */
interface Reading {
  readonly points: readonly number[];
  readonly classes: (PointClass | undefined)[];
  /** By assertion: 1 where its body matches. */
  readonly looks: readonly (Uint8Array | undefined)[];
  readonly steps: Steps;
}

function machine(program: PatternProgram, preferring = false): Machine {
  return { program, sets: new StateSets(program, preferring) };
}

function isLineEnd(point: number | undefined): boolean {
  return point === 0x0a || point === 0x0d || point === 0x2028 || point === 0x2029;
}

/** Of each code point, and of the end, its index in UTF-16 units. */
function offsetsOf(points: readonly number[]): readonly number[] {
  const offsets = [0];
  for (const point of points) offsets.push((offsets.at(-1) ?? 0) + (point > 0xffff ? 2 : 1));
  return offsets;
}
