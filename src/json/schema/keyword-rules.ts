/** What each keyword demands, the cheap ones first. */
import { exactText } from "../exact-numbers.ts";
import { ARRAY_RULES, UNEVALUATED_ITEMS } from "./array-rules.ts";
import { isMultipleOf } from "./decimal.ts";
import { formatAccepts } from "./formats.ts";
import { jsonText } from "./json-text.ts";
import { OBJECT_RULES, UNEVALUATED_PROPERTIES } from "./object-rules.ts";
import { everyOf, type KeywordRule, type NamedRule, type Place, type RuleContext } from "./rule.ts";

function typeOfJson(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return exactText(value) === undefined ? typeof value : "number";
}

const hasType: KeywordRule = (check, { type }, value, at) => {
  const actual = typeOfJson(value);
  const whole = actual === "number" && (exactText(value) !== undefined || Number.isInteger(value));
  const wanted: unknown[] = Array.isArray(type) ? type : [type];
  if (wanted.includes(actual) || (whole && wanted.includes("integer"))) return true;
  return check.fail(at, `must be ${wanted.join(" or ")}, not ${actual}`);
};

const isConstant: KeywordRule = (check, part, value, at) => {
  const wanted = jsonText(part["const"], check.steps);
  return jsonText(value, check.steps) === wanted || check.fail(at, `must be ${wanted.slice(0, 200)}`);
};

const listedTexts = new WeakMap<readonly unknown[], ReadonlySet<string>>();

const isListed: KeywordRule = (check, part, value, at) => {
  const listed = part["enum"] as readonly unknown[];
  let texts = listedTexts.get(listed);
  if (!texts) {
    texts = new Set(listed.map((entry) => jsonText(entry, check.steps)));
    listedTexts.set(listed, texts);
  }
  if (texts.has(jsonText(value, check.steps))) return true;
  return check.fail(at, `must be one of ${[...texts].join(", ").slice(0, 500)}`);
};

/** A number's digits, where a double cannot hold it, else its value. */
function numberOf(value: unknown): number | undefined {
  const digits = exactText(value);
  if (digits !== undefined) return Number(digits);
  return typeof value === "number" ? value : undefined;
}

function bound(keyword: string, holds: (value: number, limit: number) => boolean, words: string): NamedRule {
  return [
    keyword,
    (check, part, value, at) => {
      const number = numberOf(value);
      return (
        number === undefined || holds(number, Number(part[keyword])) || check.fail(at, `${words} ${part[keyword]}`)
      );
    },
  ];
}

const isMultiple: KeywordRule = (check, { multipleOf }, value, at) => {
  const text = exactText(value) ?? (typeof value === "number" && Number.isFinite(value) ? String(value) : undefined);
  if (text === undefined || isMultipleOf(text, String(multipleOf))) return true;
  return check.fail(at, `must be a multiple of ${multipleOf}`);
};

function length(keyword: "minLength" | "maxLength", words: string): NamedRule {
  return [
    keyword,
    (check, part, value, at) => {
      if (typeof value !== "string") return true;
      const limit = Number(part[keyword]);
      const points = codePoints(value, check);
      const holds = keyword === "minLength" ? points >= limit : points <= limit;
      return holds || check.fail(at, `${words} ${limit} characters, not ${points}`);
    },
  ];
}

function codePoints(text: string, check: RuleContext): number {
  check.steps.take(text.length >> 4);
  let points = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) points += 1;
  return points;
}

const matchesPattern: KeywordRule = (check, { pattern }, value, at) => {
  if (typeof value !== "string") return true;
  const compiled = check.document.patterns.get(String(pattern));
  return (
    compiled?.test(value, check.steps) || check.fail(at, `must match the pattern ${String(pattern).slice(0, 200)}`)
  );
};

const hasFormat: KeywordRule = (check, { format }, value, at) => {
  if (typeof value !== "string") return true;
  check.steps.take(value.length);
  return (
    formatAccepts(String(format), value) || check.fail(at, `must be in the format ${String(format).slice(0, 100)}`)
  );
};

const followsReference: KeywordRule = (check, part, value, at, judged) =>
  check.accepts(check.document.targets.get(part), value, at, judged);

const meetsAll: KeywordRule = (check, { allOf }, value, at, judged) =>
  everyOf(allOf as readonly unknown[], check, (part) => check.accepts(part, value, at, judged));

const meetsAny: KeywordRule = (check, { anyOf }, value, at, judged) => {
  const parts = anyOf as readonly unknown[];
  let met = false;
  for (const part of parts) {
    met = check.wouldAccept(part, value, at, judged) || met;
    if (met && !judged) return true;
  }
  return met || failAlternatives(check, parts, value, at, "anyOf");
};

const meetsOne: KeywordRule = (check, { oneOf }, value, at, judged) => {
  const parts = oneOf as readonly unknown[];
  const met: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (check.wouldAccept(part, value, at, judged)) met.push(index);
    if (met.length > 1) return check.fail(at, `must match one alternative of oneOf, not ${met.join(" and ")} both`);
  }
  return met.length === 1 || failAlternatives(check, parts, value, at, "oneOf");
};

function failAlternatives(
  check: RuleContext,
  parts: readonly unknown[],
  value: unknown,
  at: Place,
  keyword: string,
): false {
  check.fail(at, `matches no alternative of ${keyword}`);
  for (const part of parts) if (check.goesOn) check.accepts(part, value, at);
  return false;
}

const meetsNot: KeywordRule = (check, part, value, at) =>
  !check.wouldAccept(part["not"], value, at) || check.fail(at, "must not match what `not` says");

const meetsCondition: KeywordRule = (check, part, value, at, judged) => {
  const branch = check.wouldAccept(part["if"], value, at, judged) ? part["then"] : part["else"];
  return branch === undefined || check.accepts(branch, value, at, judged);
};

/** In this order; those that ask what others judged come last. */
export const KEYWORD_RULES: readonly NamedRule[] = [
  ["type", hasType],
  bound("minimum", (value, limit) => value >= limit, "must be at least"),
  bound("maximum", (value, limit) => value <= limit, "must be at most"),
  bound("exclusiveMinimum", (value, limit) => value > limit, "must be above"),
  bound("exclusiveMaximum", (value, limit) => value < limit, "must be below"),
  length("minLength", "must have at least"),
  length("maxLength", "must have at most"),
  ["multipleOf", isMultiple],
  ["const", isConstant],
  ["enum", isListed],
  ["format", hasFormat],
  ["pattern", matchesPattern],
  ...OBJECT_RULES,
  ...ARRAY_RULES,
  ["$ref", followsReference],
  ["allOf", meetsAll],
  ["anyOf", meetsAny],
  ["oneOf", meetsOne],
  ["not", meetsNot],
  ["if", meetsCondition],
  UNEVALUATED_PROPERTIES,
  UNEVALUATED_ITEMS,
];
