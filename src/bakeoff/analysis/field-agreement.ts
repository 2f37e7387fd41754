/** How often a challenger's answer says the same as the incumbent's, place by place of the route's schema. */
import { z } from "zod";
import { pointerTo } from "../../json/pointer.ts";
import { isRecord } from "../../json/record.ts";
import { canonicalJson } from "../../route/canonical.ts";
import type { Route } from "../../route/route.ts";
import { wilson } from "../../stats/wilson.ts";
import { count, fraction, name } from "../report/report-fields.ts";

export const fieldAgreement = z.strictObject({
  arm: name,
  /** Place in the schema, `*` for every item of a list; empty = the whole answer. Never a key that only answers have. */
  path: z.string().max(300),
  /** Inputs that both arms answered, and those of them where both say the same there; Wilson 95%. */
  n: count,
  agree: count,
  rate: fraction,
  low: fraction,
  high: fraction,
});

/** What an arm answered to an input: JSON where the route has a schema, else text. */
export interface ArmOutput {
  readonly input: string;
  readonly arm: string;
  readonly output: unknown;
}

type FieldAgreement = z.infer<typeof fieldAgreement>;

const DEEPEST = 8;
/** Of one arm; the whole answer is one of them. */
const MOST_FIELDS = 60;

/** What differs most comes first; of each arm the whole answer comes before its fields. */
export function fieldAgreements(
  { output }: Pick<Route, "output">,
  outputs: readonly ArmOutput[],
  incumbent: string,
  challengers: readonly string[],
): FieldAgreement[] {
  const byArm = new Map<string, Map<string, unknown>>();
  for (const { arm, input, output: answer } of outputs) {
    const own = byArm.get(arm) ?? new Map<string, unknown>();
    byArm.set(arm, own.set(input, answer));
  }
  const paths = ["", ...(output ? schemaPaths(output.schema) : [])].slice(0, MOST_FIELDS);
  const theirs = byArm.get(incumbent) ?? new Map<string, unknown>();
  return challengers.flatMap((arm) => {
    const mine = byArm.get(arm) ?? new Map<string, unknown>();
    const both = [...mine].flatMap(([input, own]) => (theirs.has(input) ? [{ own, other: theirs.get(input) }] : []));
    const [whole, ...fields] = paths.map((path) => agreementAt(arm, path, both));
    return [...(whole ?? []), ...fields.flat().sort((a, b) => a.rate - b.rate || (a.path < b.path ? -1 : 1))];
  });
}

function agreementAt(
  arm: string,
  path: string,
  both: readonly { readonly own: unknown; readonly other: unknown }[],
): FieldAgreement[] {
  const agree = both.filter(
    ({ own, other }) => canonicalJson(valuesAt(own, path)) === canonicalJson(valuesAt(other, path)),
  ).length;
  const interval = wilson(agree, both.length);
  if (!interval) return [];
  return [{ arm, path, n: both.length, agree, rate: agree / both.length, low: interval.low, high: interval.high }];
}

/** The leaves that a schema names, in its order. */
function schemaPaths(schema: unknown, path = "", depth = 0): string[] {
  if (!isRecord(schema) || depth > DEEPEST) return [];
  const { properties, items } = schema;
  const below = isRecord(properties)
    ? Object.entries(properties).flatMap(([key, member]) => schemaPaths(member, pointerTo(path, key), depth + 1))
    : isRecord(items)
      ? schemaPaths(items, `${path}/*`, depth + 1)
      : [];
  if (below.length > 0) return below;
  return path === "" || path.length > 300 ? [] : [path];
}

/** Every value at a place, in order; of a list all its items. */
function valuesAt(value: unknown, path: string): unknown[] {
  if (path === "") return [value];
  const [, token = "", ...rest] = path.split("/");
  const below = rest.length === 0 ? "" : `/${rest.join("/")}`;
  if (token === "*") return Array.isArray(value) ? value.map((item) => valuesAt(item, below)) : [];
  const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
  return isRecord(value) && Object.hasOwn(value, key) ? valuesAt(value[key], below) : [];
}
