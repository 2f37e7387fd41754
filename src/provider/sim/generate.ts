/** Generates a value that conforms to a JSON Schema and uses facts of the input text. */
import { compileFinder, compilePattern } from "../../json/pattern/pattern.ts";
import { valueAt } from "../../json/pointer.ts";
import { isRecord, type JsonRecord } from "../../json/record.ts";
import { TooManySteps } from "../../json/steps.ts";
import { draw, pick } from "./draw.ts";
import { cutAtWord, firstAmount, isoDate, labelled, sentences } from "./facts.ts";
import { sampleOf } from "./pattern.ts";

interface GenerateOptions {
  /** The text from which answers are taken. */
  readonly text: string;
  /** Identifies the model and the request; equal seeds give equal values. */
  readonly seed: string;
  /** Share of facts that are read correctly. */
  readonly accuracy: number;
}

/** Below this depth only required members are made, so that recursive schemas stay small. */
const MAX_DEPTH = 6;
const SUMMARY_CHARACTERS = 160;
/** Schemas may ask for texts of any length; a simulation need not. */
const LONGEST_PADDING = 10_000;

export function generate(schema: unknown, options: GenerateOptions): unknown {
  return new Generator(schema, options).value(schema, [], 0);
}

class Generator {
  readonly #root: unknown;
  readonly #options: GenerateOptions;
  /** Schemas that refer to themselves in many ways at once would grow without end. */
  #stepsLeft = 5_000;

  constructor(root: unknown, options: GenerateOptions) {
    this.#root = root;
    this.#options = options;
  }

  value(schema: unknown, path: readonly string[], depth: number): unknown {
    const rule = this.#resolved(schema, depth);
    if (this.#stepsLeft < 0) return null;
    if (!isRecord(rule)) return this.#summary(path);
    if ("const" in rule) return rule["const"];
    if (Array.isArray(rule["enum"]) && rule["enum"].length > 0) return this.#choice(rule["enum"], path);
    switch (typeOf(rule, depth)) {
      case "object":
        return this.#object(rule, path, depth);
      case "array":
        return this.#array(rule, path, depth);
      case "number":
        return this.#number(rule, path, false);
      case "integer":
        return this.#number(rule, path, true);
      case "boolean":
        return draw(this.#options.seed, ...path, "boolean") < 0.5;
      case "null":
        return null;
      default:
        return this.#string(rule, path);
    }
  }

  /** Follows `$ref`, merges `allOf`, takes the first alternative that is not null. */
  #resolved(schema: unknown, depth: number): unknown {
    this.#stepsLeft -= 1;
    if (!isRecord(schema) || depth > MAX_DEPTH * 2 || this.#stepsLeft < 0) return schema;
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    if (typeof $ref === "string") return this.#resolved({ ...record(referred(this.#root, $ref)), ...own }, depth + 1);
    const parts = Array.isArray(allOf) ? allOf.map((part) => record(this.#resolved(part, depth + 1))) : [];
    const alternatives = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
    const resolved = alternatives.map((alternative) => this.#resolved(alternative, depth + 1));
    const chosen = depth < MAX_DEPTH ? resolved.find((it) => !isNull(it)) : (resolved.find(isNull) ?? resolved[0]);
    if (parts.length === 0 && chosen === undefined) return schema;
    return [...parts, record(chosen)].reduce(merged, own);
  }

  #object(rule: JsonRecord, path: readonly string[], depth: number): unknown {
    const properties = record(rule["properties"]);
    const required = Array.isArray(rule["required"]) ? rule["required"].filter((name) => typeof name === "string") : [];
    const names = depth < MAX_DEPTH ? [...new Set([...Object.keys(properties), ...required])] : required;
    return Object.fromEntries(
      names.map((name) => [
        name,
        this.value(properties[name] ?? rule["additionalProperties"], [...path, name], depth + 1),
      ]),
    );
  }

  #array(rule: JsonRecord, path: readonly string[], depth: number): unknown[] {
    const prefix = Array.isArray(rule["prefixItems"]) ? rule["prefixItems"] : [];
    const least = bound(rule["minItems"], 0);
    const most = bound(rule["maxItems"], Number.POSITIVE_INFINITY);
    const length = Math.min(most, Math.max(least, prefix.length, depth < MAX_DEPTH ? 2 : 0), 100);
    const items = Array.from({ length }, (_, index) =>
      this.value(prefix[index] ?? rule["items"], [...path, String(index)], depth + 1),
    );
    if (rule["uniqueItems"] !== true) return items;
    const seen = new Set<string>();
    return items.filter(
      (item, index) => index < least || (!seen.has(JSON.stringify(item)) && seen.add(JSON.stringify(item))),
    );
  }

  #number(rule: JsonRecord, path: readonly string[], whole: boolean): number {
    const step = typeof rule["multipleOf"] === "number" && rule["multipleOf"] > 0 ? rule["multipleOf"] : whole ? 1 : 0;
    const nudge = step || 0.5;
    const low = Math.max(bound(rule["minimum"], -1e15), exclusive(rule["exclusiveMinimum"], nudge, -1e15));
    const high = Math.min(bound(rule["maximum"], 1e15), exclusive(rule["exclusiveMaximum"], -nudge, 1e15));
    const { text } = this.#options;
    const key = path.at(-1) ?? "";
    const found = firstAmount(labelled(text, key) ?? "") ?? (low > 0 && high <= 1 ? undefined : firstAmount(text));
    const guess =
      low > -1e15 && high < 1e15 ? low + (high - low) * draw(this.#options.seed, ...path, "number") : Math.max(low, 1);
    const right = found !== undefined && found >= low && found <= high ? found : guess;
    const value = this.#takesFactRightly(path) ? right : right + (right + nudge <= high ? nudge : -nudge);
    return step > 0
      ? steppedWithin(value, step, low, high)
      : Math.min(high, Math.max(low, Math.round(value * 100) / 100));
  }

  #string(rule: JsonRecord, path: readonly string[]): string {
    const least = bound(rule["minLength"], 0);
    const most = bound(rule["maxLength"], Number.POSITIVE_INFINITY);
    const { text } = this.#options;
    const format = rule["format"];
    if (typeof format === "string" && FORMATS[format] !== undefined)
      return (format === "date" && isoDate(text)) || FORMATS[format];
    if (typeof rule["pattern"] === "string")
      return matching(rule["pattern"], labelled(text, path.at(-1) ?? "") ?? "", text);
    const found = labelled(text, path.at(-1) ?? "") ?? this.#summary(path);
    const cut = cutAtWord(found, Math.min(most, SUMMARY_CHARACTERS));
    return cut.length < least ? cut.padEnd(Math.min(least, LONGEST_PADDING), ".") : cut;
  }

  /** Returns the choice that the text names, where it names one. */
  #choice(choices: readonly unknown[], path: readonly string[]): unknown {
    const text = this.#options.text.toLowerCase();
    const named = choices.find(
      (choice) => typeof choice === "string" && text.includes(choice.toLowerCase().replaceAll("_", " ")),
    );
    const right = named ?? pick(choices, this.#options.text, ...path, "choice");
    if (this.#takesFactRightly(path)) return right;
    return (
      pick(
        choices.filter((choice) => choice !== right),
        this.#options.seed,
        ...path,
        "wrong",
      ) ?? right
    );
  }

  #summary(path: readonly string[]): string {
    const found = sentences(this.#options.text);
    const chosen = pick(found, this.#options.text, ...path, "sentence") ?? "nothing to say";
    return cutAtWord(chosen, SUMMARY_CHARACTERS);
  }

  #takesFactRightly(path: readonly string[]): boolean {
    return draw(this.#options.seed, ...path, "fact") < this.#options.accuracy;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  email: "someone@example.com",
  uri: "https://example.com/",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  ipv4: "192.0.2.1",
  hostname: "example.com",
};

function matching(pattern: string, label: string, text: string): string {
  const expression = compilePattern(pattern);
  // An invalid pattern constrains nothing.
  if (!expression.ok) return label;
  try {
    if (expression.value.test(label)) return label;
    const found = compileFinder(pattern.replace(/^\^|\$$/g, ""));
    const [first] = found.ok ? found.value.matches(text) : [];
    const inside = first && text.slice(first.start, first.end);
    if (inside !== undefined && expression.value.test(inside)) return inside;
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
  }
  return sampleOf(pattern) ?? label;
}

/** Returns the multiple of `step` nearest to a value within its bounds, where there is one. */
function steppedWithin(value: number, step: number, low: number, high: number): number {
  const steps = Math.min(Math.floor(high / step), Math.max(Math.ceil(low / step), Math.round(value / step)));
  return steps * step;
}

function typeOf(rule: JsonRecord, depth: number): string {
  const { type } = rule;
  const types = (Array.isArray(type) ? type : [type]).filter((it) => typeof it === "string");
  const chosen = depth < MAX_DEPTH ? types.find((it) => it !== "null") : types.at(-1);
  if (chosen !== undefined || types.length > 0) return chosen ?? "null";
  if (rule["properties"] !== undefined || rule["required"] !== undefined) return "object";
  return rule["items"] !== undefined || rule["prefixItems"] !== undefined ? "array" : "string";
}

function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

function merged(left: JsonRecord, right: JsonRecord): JsonRecord {
  const required = [left["required"], right["required"]].flatMap((it) => (Array.isArray(it) ? it : []));
  return {
    ...left,
    ...right,
    ...(left["properties"] || right["properties"]
      ? { properties: { ...record(left["properties"]), ...record(right["properties"]) } }
      : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && schema["type"] === "null";
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function exclusive(value: unknown, nudge: number, otherwise: number): number {
  return typeof value === "number" ? value + nudge : otherwise;
}

/** Resolves a local reference; any other, and a badly escaped one, resolves to nothing. */
function referred(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  try {
    return valueAt(root, decodeURIComponent(reference.slice(1)));
  } catch (cause) {
    if (cause instanceof URIError) return undefined;
    throw cause;
  }
}
