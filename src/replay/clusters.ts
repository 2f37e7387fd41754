/** Which recorded calls belong together, found from their tags: calls of one customer or run are not independent. */

/** Name under which the run of an eval case stands among its tags. */
export const RUN_TAG = "run";

/** Names of the tags that say whose call it is, from the widest to the narrowest. */
const WHOSE = [
  "customer",
  "client",
  "tenant",
  "account",
  "organization",
  "organisation",
  "org",
  "company",
  "workspace",
  "team",
  "subscriber",
  "enduser",
  "user",
  "conversation",
  "thread",
  "chat",
  "session",
  "trace",
];

/** A tag of another name binds its calls from so many values on: with fewer it says what kind of call it is. */
const LEAST_VALUES = 20;

type Tags = Readonly<Record<string, string>>;

/** Names the tags that bind calls together, the one that decides first. `asked` names one and leaves no choice. */
export function clusterTags(calls: readonly { readonly tags: Tags }[], asked?: string): string[] {
  if (asked !== undefined) return [asked];
  const values = new Map<string, Map<string, number>>();
  for (const { tags } of calls) {
    for (const [name, value] of Object.entries(tags)) {
      const counts = values.get(name) ?? new Map<string, number>();
      values.set(name, counts.set(value, (counts.get(value) ?? 0) + 1));
    }
  }
  // One value over all of them tells no two calls apart, and values that never come again bind none together.
  const telling = [...values].filter(([, counts]) => counts.size > 1 && [...counts.values()].some((n) => n > 1));
  const named = telling.filter(([name]) => rankOf(name) !== undefined);
  const others = telling.filter(
    ([name, counts]) => name !== RUN_TAG && rankOf(name) === undefined && counts.size >= LEAST_VALUES,
  );
  const run = telling.filter(([name]) => name === RUN_TAG);
  return [
    ...named.sort(([a], [b]) => (rankOf(a) ?? 0) - (rankOf(b) ?? 0)),
    ...others.sort(([, a], [, b]) => a.size - b.size),
    ...run,
  ].map(([name]) => name);
}

/** The cluster of a call: the first of these tags that it has, with its value. */
export function clusterOf({ tags }: { readonly tags: Tags }, names: readonly string[]): string | undefined {
  const name = names.find((one) => tags[one] !== undefined);
  return name === undefined ? undefined : `${name}:${tags[name]}`;
}

/** `customer_id`, `customerId` and `Customer-ID` are `customer`. */
function rankOf(name: string): number | undefined {
  const bare = name.toLowerCase().replace(/[^a-z]/g, "");
  const rank = WHOSE.findIndex(
    (one) => bare === one || ["id", "key", "hash", "name", "slug"].some((end) => bare === one + end),
  );
  return rank === -1 ? undefined : rank;
}
