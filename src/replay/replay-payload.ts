import { z } from "zod";

/** Fields that the replay sets; a recorded request must not. */
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

/** What a call was asked: a template's variables, or the caller's own chat request. */
export type ReplayPayload =
  | { readonly kind: "variables"; readonly variables: Readonly<Record<string, unknown>> }
  /** An OpenAI chat request without the fields of `CHOSEN_AT_REPLAY`. */
  | { readonly kind: "messages"; readonly request: Readonly<Record<string, unknown>> };
