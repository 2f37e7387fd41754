/** What the keywords for arrays demand. */
import { jsonText } from "./json-text.ts";
import { everyOf, type Judged, type KeywordRule, type NamedRule, type Place, type RuleContext } from "./rule.ts";

function count(keyword: "minItems" | "maxItems", words: string): NamedRule {
  return [
    keyword,
    (check, part, value, at) => {
      if (!Array.isArray(value)) return true;
      const limit = Number(part[keyword]);
      const holds = keyword === "minItems" ? value.length >= limit : value.length <= limit;
      return holds || check.fail(at, `${words} ${limit} items, not ${value.length}`);
    },
  ];
}

const judgesPrefix: KeywordRule = (check, { prefixItems }, value, at, judged) =>
  !Array.isArray(value) || judgeTuple(check, prefixItems as readonly unknown[], value, at, judged);

/** `items` is a list in the drafts before 2020-12, where it means `prefixItems`. */
const judgesItems: KeywordRule = (check, { items, prefixItems }, value, at, judged) => {
  if (!Array.isArray(value)) return true;
  if (Array.isArray(items)) return judgeTuple(check, items, value, at, judged);
  return judgeRest(check, items, Array.isArray(prefixItems) ? prefixItems.length : 0, value, at, judged);
};

const judgesAdditional: KeywordRule = (check, { items, additionalItems }, value, at, judged) =>
  !Array.isArray(value) || !Array.isArray(items) || judgeRest(check, additionalItems, items.length, value, at, judged);

function judgeTuple(
  check: RuleContext,
  parts: readonly unknown[],
  value: readonly unknown[],
  at: Place,
  judged: Judged | undefined,
): boolean {
  return everyOf(parts.slice(0, value.length).entries(), check, ([index, part]) => {
    judged?.items.add(index);
    return check.accepts(part, value[index], { up: at, key: index });
  });
}

function judgeRest(
  check: RuleContext,
  part: unknown,
  from: number,
  value: readonly unknown[],
  at: Place,
  judged: Judged | undefined,
): boolean {
  let all = true;
  for (let index = from; index < value.length; index += 1) {
    judged?.items.add(index);
    if (check.accepts(part, value[index], { up: at, key: index })) continue;
    all = false;
    if (!check.goesOn) break;
  }
  return all;
}

const containsSome: KeywordRule = (check, { contains, minContains = 1, maxContains }, value, at, judged) => {
  if (!Array.isArray(value)) return true;
  const most = maxContains === undefined ? Number.POSITIVE_INFINITY : Number(maxContains);
  const counted = check.document.draft === "2020-12" ? judged : undefined;
  let found = 0;
  for (const [index, item] of (value as readonly unknown[]).entries()) {
    if (!check.wouldAccept(contains, item, { up: at, key: index })) continue;
    counted?.items.add(index);
    found += 1;
    if (found > most) return check.fail(at, `must contain at most ${most} items that match \`contains\``);
  }
  return (
    found >= Number(minContains) || check.fail(at, `must contain ${minContains} or more items that match \`contains\``)
  );
};

const areUnique: KeywordRule = (check, { uniqueItems }, value, at) => {
  if (uniqueItems !== true || !Array.isArray(value)) return true;
  const seen = new Set<string>();
  for (const [index, item] of (value as readonly unknown[]).entries()) {
    seen.add(jsonText(item, check.steps, true));
    if (seen.size <= index) return check.fail({ up: at, key: index }, "must differ from the items before it");
  }
  return true;
};

const judgesUnevaluated: KeywordRule = (check, { unevaluatedItems }, value, at, judged) => {
  if (!Array.isArray(value)) return true;
  return everyOf((value as readonly unknown[]).entries(), check, ([index, item]) => {
    check.steps.take();
    if (judged?.items.has(index)) return true;
    judged?.items.add(index);
    return check.accepts(unevaluatedItems, item, { up: at, key: index });
  });
};

export const ARRAY_RULES: readonly NamedRule[] = [
  count("minItems", "must have at least"),
  count("maxItems", "must have at most"),
  ["prefixItems", judgesPrefix],
  ["items", judgesItems],
  ["additionalItems", judgesAdditional],
  ["contains", containsSome],
  ["uniqueItems", areUnique],
];

export const UNEVALUATED_ITEMS: NamedRule = ["unevaluatedItems", judgesUnevaluated];
