import type { Route } from "../route/route.ts";
import { questionKey } from "./question.ts";
import type { ReplayInput } from "./replay-input.ts";
import type { ReplayPayload } from "./replay-payload.ts";

/** A recorded call or eval case as a bake-off draws from it; its payload stays where it is. */
export interface RecordedInput extends Pick<ReplayInput, "id" | "at" | "question"> {
  readonly kind: ReplayPayload["kind"];
  /** It brought no answer that conformed. */
  readonly failed: boolean;
  readonly tags: Readonly<Record<string, string>>;
}

/** Every source of inputs makes its records here, so that equal questions are equal wherever they come from. */
export async function recordedInput(
  {
    id,
    at,
    payload,
    failed = false,
    tags = {},
  }: Pick<ReplayInput, "id" | "at" | "payload"> & {
    readonly failed?: boolean;
    readonly tags?: RecordedInput["tags"];
  },
  route: Pick<Route, "input" | "template" | "variants">,
): Promise<RecordedInput> {
  return { id, at, kind: payload.kind, failed, tags, question: await questionKey(payload, route) };
}
