/** Asking every question several times over, to see how steady an arm is on it. */

/** Separates an input from the number of its repeat; no id of a capture or eval case holds it. */
const REPEAT_MARK = "#";

/** The id without the number of a repeat. */
export function withoutRepeat(id: string): string {
  return id.replace(/#\d+$/, "");
}

/**
 * Every input `times` over, each repeat an input of its own to send and pair, all of one cluster: they tell how steady
 * an arm is on that question, not how it does on others.
 */
export function repeated<T extends { readonly id: string; readonly cluster?: string | undefined }>(
  inputs: readonly T[],
  times: number,
): T[] {
  if (times <= 1) return [...inputs];
  return inputs.flatMap((input) =>
    Array.from({ length: times }, (_, index) => ({
      ...input,
      id: index === 0 ? input.id : `${input.id}${REPEAT_MARK}${index + 1}`,
      cluster: input.cluster ?? input.id,
    })),
  );
}
