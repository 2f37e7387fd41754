import { QueryRefusal } from "./fault.ts";
import type { Bound, ValueType } from "./plan.ts";
import type { Literal } from "./syntax.ts";
import type { TimeZone } from "./time-zone.ts";

const DAY_MS = 86_400_000;

const WANTED: Readonly<Record<ValueType, string>> = {
  text: "a 'text'",
  integer: "a number",
  number: "a number",
  usd: "a number of dollars",
  boolean: "TRUE or FALSE",
  time: "a time such as '2026-07-26' or '2026-07-26T09:00Z'",
  date: "a date",
};

/** The stored form of the value: nano-dollars, epoch milliseconds, 0 and 1. */
export function boundValue(literal: Literal, type: ValueType, zone: TimeZone): Bound {
  if (literal.kind === "text" && type === "text") return literal.value;
  if (literal.kind === "text" && type === "time") return instantOf(literal.value, zone) ?? refuse(literal, type);
  if (literal.kind === "boolean" && type === "boolean") return Number(literal.value);
  if (literal.kind === "number" && type === "usd") return nanoOf(literal.text) ?? refuse(literal, type, MONEY);
  if (literal.kind === "number" && (type === "integer" || type === "number")) {
    const value = Number(literal.text);
    if (Number.isFinite(value)) return value;
  }
  return refuse(literal, type);
}

/** True for a time written as a date only. */
export function isDate(literal: Literal): boolean {
  return literal.kind === "text" && /^\d{4}-\d\d-\d\d$/.test(literal.value.trim());
}

const MONEY = "amounts are dollars with up to nine decimals, without an exponent";

function refuse(literal: Literal, type: ValueType, hint?: string): never {
  const found = literal.kind === "text" ? `'${literal.value}'` : literal.kind === "number" ? literal.text : "a boolean";
  throw new QueryRefusal("query_type", `this must be ${WANTED[type]}`, literal, {
    expected: [WANTED[type]],
    found,
    hint,
  });
}

/** Converts dollars to nano-dollars by their digits; undefined where they do not fit. */
function nanoOf(dollars: string): number | undefined {
  const match = /^(-?)(\d*)(?:\.(\d{1,9}))?$/.exec(dollars);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = ""] = match;
  const nano = Number(`${whole}${fraction.padEnd(9, "0")}`);
  return Number.isSafeInteger(nano) ? (sign === "-" ? 0 - nano : nano) : undefined;
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d*)?)?\s*(Z|[+-]\d\d:?\d\d)?)?$/i;
const FIRST_YEAR = 1900;

/** Parses ISO 8601. A time without an offset is local time of the zone. */
function instantOf(text: string, zone: TimeZone): number | undefined {
  const match = INSTANT.exec(text.trim());
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? 0));
  const dayStart = Date.UTC(year, month - 1, day);
  const date = new Date(dayStart);
  const exists = year >= FIRST_YEAR && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second > 59) return undefined;
  const local = Date.UTC(year, month - 1, day, hour, minute, second, Number((match[7] ?? "").padEnd(3, "0")));
  const offset = match[8];
  if (offset === undefined) return zone.instantOf(local);
  if (/^z$/i.test(offset)) return local;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  const ahead = (hours * 60 + minutes) * 60_000;
  if (minutes > 59 || ahead > DAY_MS) return undefined;
  return offset.startsWith("-") ? local + ahead : local - ahead;
}
