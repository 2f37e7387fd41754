import type { ReplayInput } from "../../replay/replay-input.ts";
import type { Arm } from "./arm.ts";

export interface PlannedSample {
  readonly input: ReplayInput;
  readonly arm: Arm;
}

/**
 * Every input on every arm, arms side by side per input, so that drift of a provider over the run hits all arms alike.
 * Inputs and, per input, arms come in an order drawn from `random`, whatever order they were given in: a run cut short
 * covers a random part of the inputs, and the seed says which.
 */
export function schedule(inputs: readonly ReplayInput[], arms: readonly Arm[], random: () => number): PlannedSample[] {
  const known = [...inputs].sort((a, b) => (a.id < b.id ? -1 : 1));
  return shuffled(known, random).flatMap((input) => shuffled(arms, random).map((arm) => ({ input, arm })));
}

/** Fisher-Yates. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const deck = [...items];
  for (let last = deck.length - 1; last > 0; last -= 1) {
    const pick = Math.floor(random() * (last + 1));
    const [a, b] = [deck[last], deck[pick]];
    if (a !== undefined && b !== undefined) [deck[last], deck[pick]] = [b, a];
  }
  return deck;
}
