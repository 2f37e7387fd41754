/** Which of the recorded calls a bake-off takes, and what it makes of questions that came more than once. */
import { clusterOf, clusterTags } from "./clusters.ts";
import type { RecordedInput } from "./recorded-input.ts";
import type { ReplayInput } from "./replay-input.ts";
import type { ReplayPayload } from "./replay-payload.ts";

export interface Sampling {
  /** Recorded calls taken. */
  readonly last: number;
  /** Tag whose values are represented as equally as there are calls of them. */
  readonly stratify?: string | undefined;
  readonly failuresFirst: boolean;
  /** Tag by which calls belong together; absent = found from their tags. */
  readonly cluster?: string | undefined;
}

/** One question, and how many of the drawn calls asked it. */
export interface DrawnInput extends Pick<ReplayInput, "id" | "at" | "question" | "cluster"> {
  readonly kind: ReplayPayload["kind"];
  readonly weight: number;
}

interface Draw {
  readonly inputs: readonly DrawnInput[];
  /** Tags that made the clusters; empty = no two inputs are known to belong together. */
  readonly clusteredBy: readonly string[];
}

/**
 * Takes `last` of the recorded calls: the newest, or those that failed before the others, or in turn from each value of
 * a tag. Calls that asked the same are then one input with a weight; it is known by its newest call, whose cluster it
 * has.
 */
export async function drawInputs(
  newestFirst: AsyncIterable<RecordedInput> | Iterable<RecordedInput>,
  sampling: Sampling,
): Promise<Draw> {
  const calls = await taken(newestFirst, sampling);
  const tags = clusterTags(calls, sampling.cluster);
  const inputs = merged(calls, tags);
  return { inputs, clusteredBy: tags.filter((tag) => inputs.some(({ cluster }) => cluster?.startsWith(`${tag}:`))) };
}

async function taken(
  newestFirst: AsyncIterable<RecordedInput> | Iterable<RecordedInput>,
  { last, stratify, failuresFirst }: Sampling,
): Promise<RecordedInput[]> {
  // Within a group newer before older; one group where nothing is asked for.
  const strata = new Map<string, RecordedInput[]>();
  for await (const call of newestFirst) {
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

function merged(calls: readonly RecordedInput[], clusterNames: readonly string[]): DrawnInput[] {
  const byQuestion = new Map<string, { newest: RecordedInput; weight: number }>();
  for (const call of calls) {
    const known = byQuestion.get(call.question);
    if (!known) byQuestion.set(call.question, { newest: call, weight: 1 });
    else {
      known.weight += 1;
      if (call.at > known.newest.at) known.newest = call;
    }
  }
  return [...byQuestion.values()].map(({ newest, weight }) => {
    const { id, at, question, kind } = newest;
    return { id, at, question, kind, weight, cluster: clusterOf(newest, clusterNames) };
  });
}

/** The draw in words, as previews and journals show it. `what` names what was drawn from. */
export function drawText({ inputs, clusteredBy }: Draw, sampling: Sampling, what: string, repeats: number): string {
  const calls = inputs.reduce((sum, { weight }) => sum + weight, 0);
  return [
    what,
    ...(sampling.failuresFirst ? ["failed ones first"] : []),
    ...(sampling.stratify === undefined ? [] : [`in turn by tag ${sampling.stratify}`]),
    ...(calls > inputs.length ? [`${calls} calls asked ${inputs.length} different inputs`] : []),
    ...(clusteredBy.length > 0 ? [`those of one ${clusteredBy.join(" or ")} belong together`] : []),
    ...(repeats > 1 ? [`each ${repeats} times`] : []),
  ].join(", ");
}
