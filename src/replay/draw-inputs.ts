/** Which of the recorded inputs a bake-off takes, and what it makes of those that came more than once. */
import type { ReplayInput } from "./replay-input.ts";

/** What sampling looks at; the payload stays where it is. */
export interface Drawable {
  readonly id: string;
  readonly at: number;
  /** The call that was recorded brought no answer that conformed. */
  readonly failed: boolean;
  readonly tags: Readonly<Record<string, string>>;
  /** Equal for equal payloads. */
  readonly key: string;
  readonly cluster?: string | undefined;
}

export interface Sampling {
  /** Recorded calls taken. */
  readonly last: number;
  /** Tag whose values are represented as equally as there are calls of them. */
  readonly stratify?: string | undefined;
  readonly failuresFirst: boolean;
}

/** One distinct input, and how many of the drawn calls asked it. */
export interface Drawn {
  readonly id: string;
  readonly at: number;
  readonly weight: number;
  readonly cluster?: string | undefined;
  /** The key of its payload. */
  readonly item: string;
}

/**
 * Takes `last` of the recorded calls: the newest, or those that failed before the others, or in turn from each value of
 * a tag. Equal inputs are then one with a weight; it is known by its newest call, whose cluster it keeps.
 */
export function drawInputs(newestFirst: Iterable<Drawable>, sampling: Sampling): Drawn[] {
  return merged(taken(newestFirst, sampling));
}

function taken(newestFirst: Iterable<Drawable>, { last, stratify, failuresFirst }: Sampling): Drawable[] {
  // Within a group newer before older; one group where nothing is asked for.
  const strata = new Map<string, Drawable[]>();
  for (const call of newestFirst) {
    const rank = failuresFirst && !call.failed ? "1" : "0";
    const name = stratify === undefined ? "" : (call.tags[stratify] ?? "");
    const key = `${rank}${name}`;
    const group = strata.get(key) ?? [];
    strata.set(key, group);
    if (group.length < last) group.push(call);
    if (stratify === undefined && !failuresFirst && group.length >= last) break;
  }
  const ranks = ["0", "1"].map((rank) => [...strata].filter(([key]) => key.startsWith(rank)).map(([, group]) => group));
  return ranks.flatMap((groups) => inTurn(groups)).slice(0, last);
}

/** The first of each group, then the second of each: small groups are taken whole before large ones fill up. */
function inTurn<T>(groups: readonly (readonly T[])[]): T[] {
  const longest = groups.reduce((most, group) => Math.max(most, group.length), 0);
  return Array.from({ length: longest }, (_, index) => groups.flatMap((group) => group.slice(index, index + 1))).flat();
}

function merged(calls: readonly Drawable[]): Drawn[] {
  const byKey = new Map<string, { readonly newest: Drawable; weight: number }>();
  for (const call of calls) {
    const known = byKey.get(call.key);
    if (!known) byKey.set(call.key, { newest: call, weight: 1 });
    else {
      byKey.set(call.key, {
        newest: call.at > known.newest.at ? call : known.newest,
        weight: known.weight + 1,
      });
    }
  }
  return [...byKey].map(
    ([
      item,
      {
        newest: { id, at, cluster },
        weight,
      },
    ]) => ({ id, at, weight, cluster, item }),
  );
}

/** Separates an input from the number of its repeat; no id of a capture or eval case holds it. */
const REPEAT_MARK = "#";

/** The id without the number of a repeat. */
export function withoutRepeat(id: string): string {
  return id.replace(/#\d+$/, "");
}

/**
 * Every input `times` over, each repeat an input of its own to send and pair, all of one cluster: they tell how steady
 * an arm is on that item, not how it does on others.
 */
export function repeated<T extends Pick<ReplayInput, "id" | "cluster">>(
  inputs: readonly T[],
  times: number,
  as: (input: T, id: string, cluster: string) => T,
): T[] {
  if (times <= 1) return [...inputs];
  return inputs.flatMap((input) =>
    Array.from({ length: times }, (_, index) =>
      as(input, index === 0 ? input.id : `${input.id}${REPEAT_MARK}${index + 1}`, input.cluster ?? input.id),
    ),
  );
}
