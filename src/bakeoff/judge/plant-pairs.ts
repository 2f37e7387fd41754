/** Makes planted pairs out of a route's outputs, but for those that a model has to reword. */
import type { ReplayInput } from "../../replay/replay-input.ts";
import { canonicalJson } from "../../route/canonical.ts";
import { freeTexts, leavesOf, withLeaves, wordsOf } from "./output-texts.ts";
import type { PlantedKind, PlantedPair } from "./planted-pair.ts";

/** An output that came back for an input and passed what the route demands. */
export interface Answered {
  readonly input: ReplayInput;
  readonly arm: string;
  readonly output: unknown;
}

export type MadeKind = Exclude<PlantedKind, "own_wording" | "other_wording">;

/**
 * Outputs in the order in which pairs are made of them: one of each input first, its arms by turns, then the others. Of
 * equal outputs for one input only the first is taken.
 */
export function originalsOf(answers: readonly Answered[]): Answered[] {
  const byInput = new Map<string, Answered[]>();
  for (const answer of answers) {
    const known = byInput.get(answer.input.id) ?? [];
    const text = canonicalJson(answer.output);
    if (!known.some(({ output }) => canonicalJson(output) === text)) byInput.set(answer.input.id, [...known, answer]);
  }
  const inputs = [...byInput.values()].map((own, index) => {
    const turn = index % own.length;
    return [...own.slice(turn), ...own.slice(0, turn)];
  });
  const most = Math.max(0, ...inputs.map(({ length }) => length));
  return Array.from({ length: most }, (_, round) => inputs.flatMap((own) => own[round] ?? [])).flat();
}

/** All pairs of a kind that the outputs allow, lazily: each changed copy is made when it is asked for. */
export function* plantedOf(kind: MadeKind, originals: readonly Answered[]): Generator<PlantedPair> {
  if (kind === "swapped") return yield* swappedPairs(originals);
  for (const [index, { input, arm, output }] of originals.entries()) {
    const planted = plantedBeside(kind, output, input.id, originals, index);
    if (planted !== undefined) yield { kind, input, arm, original: output, planted };
  }
}

function plantedBeside(
  kind: Exclude<MadeKind, "swapped">,
  output: unknown,
  input: string,
  originals: readonly Answered[],
  index: number,
): unknown {
  switch (kind) {
    case "identical":
      return output;
    case "damaged":
      return damaged(output);
    case "other_input":
      return otherAnswer(output, input, originals, index);
    case "padded":
      return padded(output);
  }
}

/** Different answers of two arms to one input; and where there are too few, beside the answer to another input. */
function* swappedPairs(originals: readonly Answered[]): Generator<PlantedPair> {
  const byInput = new Map<string, Answered[]>();
  for (const one of originals) byInput.set(one.input.id, [...(byInput.get(one.input.id) ?? []), one]);
  const lone: Answered[] = [];
  for (const [one, other] of byInput.values()) {
    if (one && other)
      yield { kind: "swapped", input: one.input, arm: one.arm, original: one.output, planted: other.output };
    else if (one) lone.push(one);
  }
  for (const { input, arm, output } of lone) {
    const at = originals.findIndex((one) => one.input === input && one.arm === arm);
    const planted = otherAnswer(output, input.id, originals, at);
    if (planted !== undefined) yield { kind: "swapped", input, arm, original: output, planted };
  }
}

/** The next different answer to another input; undefined where every answer is this one. */
function otherAnswer(output: unknown, input: string, originals: readonly Answered[], index: number): unknown {
  const own = canonicalJson(output);
  for (let step = 1; step < originals.length; step += 1) {
    const other = originals[(index + step) % originals.length];
    if (other && other.input.id !== input && canonicalJson(other.output) !== own) return other.output;
  }
  return undefined;
}

/** Half of every text is lost, every number and truth value is another one. Undefined where nothing can be damaged. */
function damaged(output: unknown): unknown {
  if (leavesOf(output).every(({ value }) => value === null || value === "")) return undefined;
  return withLeaves(output, ({ value }) => {
    if (typeof value === "number") return value * 10 + 7;
    if (typeof value === "boolean") return !value;
    if (value === null || value === "") return value;
    const words = wordsOf(value);
    if (words.length > 1) return words.slice(0, Math.floor(words.length / 2)).join(" ");
    return [...value].slice(0, Math.floor([...value].length / 2)).join("") || "?";
  });
}

const PADDING =
  "This is what there is to say here, and it is said here as it is. To put it in full, nothing more is meant by it than what stands above, and what stands above is meant as it stands.";

/** Sentences that say nothing are added to the longest free text. Undefined where no text is free. */
function padded(output: unknown): unknown {
  const [longest] = freeTexts(output).sort((a, b) => b.text.length - a.text.length);
  if (!longest) return undefined;
  return withLeaves(output, ({ pointer, value }) =>
    pointer === longest.pointer ? `${longest.text} ${PADDING}` : value,
  );
}
