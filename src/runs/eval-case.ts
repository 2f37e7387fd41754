/** A golden: an input with the output expected for it. */
import { z } from "zod";
import type { ReplayInput, ReplayPayload } from "../replay/replay-input.ts";

export const EVAL_CASE_ORIGINS = ["artifact", "capture", "manual"] as const;
export type EvalCaseOrigin = (typeof EVAL_CASE_ORIGINS)[number];

export interface EvalCase {
  readonly id: string;
  /** Equals a route's name where a bake-off is to find its variants. */
  readonly task: string;
  readonly input: ReplayPayload;
  /** Any JSON value. */
  readonly expected: unknown;
  readonly corrected: boolean;
  readonly origin: EvalCaseOrigin;
  readonly artifact?: string | undefined;
  readonly run?: string | undefined;
  readonly createdAt: number;
  readonly archivedAt?: number | undefined;
}

export function replayInputOf({ id, createdAt, input, expected }: EvalCase): ReplayInput {
  return { id, at: createdAt, payload: input, golden: expected };
}

/** Chosen by whoever replays it, so a case does not say them. */
export const CHOSEN_AT_REPLAY = ["model", "stream", "stream_options"] as const;

// Looked at before zod copies them: it leaves `__proto__` out without a word.
const object = z.preprocess(
  (value, context) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")) {
      context.addIssue("a field must not be named __proto__");
    }
    return value;
  },
  z.record(z.string(), z.unknown()),
);

export const replayPayload = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("variables"), variables: object }),
  z.strictObject({
    kind: z.literal("messages"),
    request: object
      .refine(({ messages }) => Array.isArray(messages) && messages.length > 0, "request needs its messages")
      .refine(
        (request) => CHOSEN_AT_REPLAY.every((name) => !Object.hasOwn(request, name)),
        `request must not name ${CHOSEN_AT_REPLAY.join(", ")}: the replay chooses them`,
      ),
  }),
]);
