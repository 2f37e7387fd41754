import type { SwapState } from "./swap.ts";

/** `serve`: the gateway serves what was promised. `abandon`: it did not for too long. `revert`: a person took it back. */
export type SwapEvent = "serve" | "revert" | "abandon";

/** Every legal move. What is not listed is refused: what was taken back or abandoned needs new evidence. */
const TRANSITIONS: Readonly<Record<SwapState, Partial<Record<SwapEvent, SwapState>>>> = {
  approved: { serve: "serving", revert: "reverted", abandon: "abandoned" },
  serving: { revert: "reverted" },
  reverted: {},
  abandoned: {},
};

/** The state after `event`, or `undefined` where the event is not legal in this state. */
export function swapTransition(state: SwapState, event: SwapEvent): SwapState | undefined {
  return TRANSITIONS[state][event];
}

/** The states in which `event` is legal. */
export function statesBefore(event: SwapEvent): readonly SwapState[] {
  return (Object.keys(TRANSITIONS) as SwapState[]).filter((state) => TRANSITIONS[state][event] !== undefined);
}
