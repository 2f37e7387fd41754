/** Which recorded calls belong together, found from their tags: calls of one customer or run are not independent. */

/** Tag that holds the run of an eval case. */
export const RUN_TAG = "run";

/** Names of tags for the customer, user or conversation that a call belongs to, from the widest to the narrowest. */
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

/** A tag of another name makes clusters from so many values on: one with fewer is a kind of call, such as a feature. */
const LEAST_VALUES = 20;

type Tags = Readonly<Record<string, string>>;

/** Returns the names of the tags that make clusters, the deciding one first. `asked` is used alone where it is given. */
export function clusterTags(calls: readonly { readonly tags: Tags }[], asked?: string): string[] {
  if (asked !== undefined) return [asked];
  const values = new Map<string, Map<string, number>>();
  for (const { tags } of calls) {
    for (const [name, value] of Object.entries(tags)) {
      const counts = values.get(name) ?? new Map<string, number>();
      values.set(name, counts.set(value, (counts.get(value) ?? 0) + 1));
    }
  }
  // A tag with one value separates no calls, and one whose values never repeat joins none.
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
