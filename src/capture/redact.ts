/** Redaction, applied to a capture before it is written: what was redacted never touches the disk. */
import type { Capture } from "./capture.ts";

export interface RedactionRules {
  /** JSON paths from `input` (variables or request), `output` (when it is JSON) and `tags`, e.g. `$.input..email`. */
  readonly paths: readonly string[];
  /** Regular expressions, replaced wherever they match in any text. */
  readonly patterns: readonly string[];
}

export type Redact = (capture: Capture) => Capture;

const MARK = "[redacted]";

/** Credentials by the shapes their issuers document; always redacted. */
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

/** Compiles the rules once. Throws `SyntaxError` naming a path or pattern that cannot be read. */
export function redactor(rules: RedactionRules): Redact {
  const paths = rules.paths.map(compilePath);
  const patterns = [...CREDENTIALS, ...rules.patterns.map(compilePattern)];
  const scrubText = (text: string): string => patterns.reduce((kept, pattern) => kept.replace(pattern, MARK), text);
  return function redact(capture) {
    const parsed = parseJson(capture.output);
    const input = capture.payload.kind === "variables" ? capture.payload.variables : capture.payload.request;
    const root: Record<string, unknown> = { input, tags: capture.tags, output: parsed ?? capture.output };
    const redacted = paths.reduce<unknown>((value, path) => blank(value, path), root) as typeof root;
    const outputTouched = parsed !== undefined && redacted["output"] !== parsed;
    const output = outputTouched ? JSON.stringify(redacted["output"]) : capture.output;
    const clean = scrub(redacted["input"], scrubText) as Record<string, unknown>;
    return {
      ...capture,
      payload:
        capture.payload.kind === "variables"
          ? { kind: "variables", variables: clean }
          : { kind: "messages", request: clean },
      output: output === undefined ? undefined : scrubText(output),
      tags: scrub(redacted["tags"], scrubText) as Record<string, string>,
    };
  };
}

type Step =
  | { readonly type: "key"; readonly key: string }
  | { readonly type: "any" }
  /** Matches here and at every depth below. */
  | { readonly type: "deep" };

function compilePath(path: string): readonly Step[] {
  const steps: Step[] = [];
  const token = /\.\.|\.|\[(\d+|\*)\]|\[(?:'([^']*)'|"([^"]*)")\]|([^.[\]'"*$\s]+)|\*/y;
  token.lastIndex = path.startsWith("$") ? 1 : 0;
  while (token.lastIndex < path.length) {
    const match = token.exec(path);
    if (!match) throw new SyntaxError(`capture.redact.paths: cannot read ${JSON.stringify(path)}`);
    const [text, index, single, double, name] = match;
    if (text === "..") steps.push({ type: "deep" });
    else if (text === "*" || index === "*") steps.push({ type: "any" });
    else if (text !== ".") steps.push({ type: "key", key: index ?? single ?? double ?? name ?? "" });
  }
  if (steps.length === 0 || steps.at(-1)?.type === "deep") {
    throw new SyntaxError(`capture.redact.paths: ${JSON.stringify(path)} names nothing`);
  }
  return steps;
}

function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "gu");
  } catch (cause) {
    throw new SyntaxError(`capture.redact.patterns: ${JSON.stringify(pattern)} is not a regular expression`, { cause });
  }
}

/** Replaces what `steps` reach; answers the same value where nothing was reached. */
function blank(value: unknown, steps: readonly Step[]): unknown {
  const [step, ...rest] = steps;
  if (!step) return MARK;
  if (typeof value !== "object" || value === null) return value;
  if (step.type === "deep") {
    return mapEntries(blank(value, rest) as object, (item) => blank(item, steps));
  }
  return mapEntries(value, (item, key) => (step.type === "any" || key === step.key ? blank(item, rest) : item));
}

function scrub(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return value;
  return mapEntries(value, (item) => scrub(item, text));
}

function mapEntries(value: object, change: (item: unknown, key: string) => unknown): unknown {
  if (typeof value !== "object") return value;
  let touched = false;
  const mapped = Object.entries(value).map(([key, item]): [string, unknown] => {
    const next = change(item, key);
    touched ||= next !== item;
    return [key, next];
  });
  if (!touched) return value;
  return Array.isArray(value) ? mapped.map(([, item]) => item) : Object.fromEntries(mapped);
}

function parseJson(text: string | undefined): object | undefined {
  if (text === undefined || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
