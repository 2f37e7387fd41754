/** Redacts a capture before it is written: redacted text is never stored. */
import type { Redaction } from "../config/config.ts";
import { exactText, parseExact } from "../json/exact-numbers.ts";
import { compileFinder, finderFault } from "../json/pattern/pattern.ts";
import { TooManySteps } from "../json/steps.ts";
import type { Capture } from "./capture.ts";

export type Redact = (capture: Capture) => Capture;

const MARK = "[redacted]";

/** Credentials by the forms that their issuers document; always redacted. */
const CREDENTIALS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\bBearer\s+[A-Za-z0-9._~+/=-]{12,}/gi,
  /\b(?:sk|pk|rk|rig_sk|gsk|xai|hf|r8|tgp|fw|csk)[-_][A-Za-z0-9][A-Za-z0-9_-]{15,}/g,
  /\bAIza[0-9A-Za-z_-]{30,}/g,
  /\bgh[opusr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g,
];

/**
 * A path is a JSON pointer into the variables, the request, and the output where it is JSON; `*` matches any one step.
 * A regex is applied to every text. Throws `SyntaxError` naming a regex that is invalid or refused.
 */
export function redactor(rules: readonly Redaction[]): Redact {
  const paths = rules.flatMap(({ path, replace }) => (path === undefined ? [] : [{ steps: stepsOf(path), replace }]));
  const patterns = [
    ...CREDENTIALS.map((pattern) => (text: string) => text.replace(pattern, MARK)),
    ...rules.flatMap(({ regex, replace }) => (regex === undefined ? [] : [replacer(regex, replace)])),
  ];
  const scrubPlain = (text: string): string => patterns.reduce((kept, replace) => replace(kept), text);
  // JSON text may spell a character as an escape, which no pattern would find, so its values are searched too.
  const scrubText = (text: string): string => scrubPlain(blankJson(text, (value) => scrub(value, scrubText)));
  const blankPaths = (value: unknown): unknown =>
    paths.reduce((kept, { steps, replace }) => blank(kept, steps, replace), value);
  return function redact(capture) {
    const { payload, output } = capture;
    const asked = payload.kind === "variables" ? payload.variables : payload.request;
    const clean = scrub(blankPaths(asked), scrubText) as Record<string, unknown>;
    return {
      ...capture,
      payload:
        payload.kind === "variables" ? { kind: "variables", variables: clean } : { kind: "messages", request: clean },
      output: output === undefined ? undefined : scrubText(blankJson(output, blankPaths)),
      tags: scrub(capture.tags, scrubText) as Record<string, string>,
    };
  };
}

/** Steps of a JSON pointer (RFC 6901). */
function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * Replaces every match by the literal `replacement`; replaces the whole text where its matches cannot be found within
 * the step limit.
 */
function replacer(regex: string, replacement: string): (text: string) => string {
  const pattern = compileFinder(regex);
  if (!pattern.ok) throw new SyntaxError(`capture.redact: ${JSON.stringify(regex)} ${finderFault(regex)}`);
  return function replaceMatches(text) {
    try {
      let kept = "";
      let from = 0;
      for (const { start, end } of pattern.value.matches(text)) {
        kept += text.slice(from, start) + replacement;
        from = end;
      }
      return kept + text.slice(from);
    } catch (error) {
      if (error instanceof TooManySteps) return replacement;
      throw error;
    }
  };
}

/** Replaces the values that `steps` reach; returns the same value where they reach none. */
function blank(value: unknown, steps: readonly string[], replace: string): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return replace;
  if (typeof value !== "object" || value === null || exactText(value) !== undefined) return value;
  return mapEntries(value, (item, key) => (step === "*" || key === step ? blank(item, rest, replace) : item));
}

/** An output keeps its own bytes unless a path changed it. */
function blankJson(text: string, change: (value: unknown) => unknown): string {
  const parsed = parseJson(text);
  if (parsed === undefined) return text;
  const changed = change(parsed);
  return changed === parsed ? text : JSON.stringify(changed);
}

function scrub(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === "string") return text(value);
  const digits = typeof value === "number" ? String(value) : exactText(value);
  if (digits !== undefined) return scrubNumber(value, digits, text);
  if (typeof value !== "object" || value === null) return value;
  // Names are redacted too, because maps keyed by address or name are common.
  return mapEntries(value, (item) => scrub(item, text), text);
}

/** An account number is as telling without quotes; it becomes text where a pattern finds it. */
function scrubNumber(value: unknown, digits: string, text: (value: string) => string): unknown {
  const scrubbed = text(digits);
  return scrubbed === digits ? value : scrubbed;
}

function mapEntries(
  value: object,
  change: (item: unknown, key: string) => unknown,
  name: (key: string) => string = (key) => key,
): unknown {
  let touched = false;
  const mapped = Object.entries(value).map(([key, item]): [string, unknown] => {
    const next = change(item, key);
    const named = Array.isArray(value) ? key : name(key);
    touched ||= next !== item || named !== key;
    return [named, next];
  });
  if (!touched) return value;
  return Array.isArray(value) ? mapped.map(([, item]) => item) : Object.fromEntries(mapped);
}

function parseJson(text: string | undefined): object | undefined {
  if (text === undefined || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseExact(text) as object;
  } catch {
    return undefined;
  }
}
