/** Checks a located value against a zod shape, part by part, so that one fault does not hide the others. */
import { z } from "zod";
import { isRecord } from "../json/record.ts";
import { type Fault, type KeyPath, nearest } from "./fault.ts";
import type { LocatedYaml } from "./located-yaml.ts";

/** Reads parts of a document, collecting faults. `prefix` starts every code (`route.unknown_key`). */
export class ShapeReader {
  readonly faults: Fault[] = [];
  readonly #document: LocatedYaml;
  readonly #prefix: string;

  constructor(document: LocatedYaml, prefix: string) {
    this.#document = document;
    this.#prefix = prefix;
  }

  /** Returns the part at `path`, or undefined where it is absent (and optional) or faulty (and reported). */
  read<T>(schema: z.ZodType<T>, path: KeyPath): T | undefined {
    const raw = valueAt(this.#document.value, path);
    const result = schema.safeParse(this.#withoutUnknownKeys(schema, raw, path));
    if (result.success) return result.data;
    for (const issue of result.error.issues) this.#report(schema, issue, path, raw);
    return undefined;
  }

  /** Reads each element of the list at `path` separately: faulty ones are undefined at their index. */
  readList<T>(schema: z.ZodType<T>, path: KeyPath): readonly (T | undefined)[] {
    const raw = valueAt(this.#document.value, path);
    if (raw === undefined) return [];
    if (!Array.isArray(raw)) {
      this.fault("wrong_type", `expected a list, found ${kindOf(raw)}`, path);
      return [];
    }
    return raw.map((_, index) => this.read(schema, [...path, index]));
  }

  fault(code: string, message: string, path: KeyPath, suggestion?: string, spot: "key" | "value" = "value"): void {
    this.faults.push(
      this.#document.fault(`${this.#prefix}.${code}`, message, { path, spot, suggestion, rank: "shape" }),
    );
  }

  /** Reports keys that the shape does not have and returns the value without them. */
  #withoutUnknownKeys(schema: z.ZodType, raw: unknown, path: KeyPath): unknown {
    const bare = unwrap(schema);
    if (bare instanceof z.ZodArray && Array.isArray(raw)) {
      return raw.map((item, index) => this.#withoutUnknownKeys(asType(bare.element), item, [...path, index]));
    }
    if (!isRecord(raw)) return raw;
    if (bare instanceof z.ZodRecord) {
      return mapValues(raw, (item, key) => this.#withoutUnknownKeys(asType(bare.valueType), item, [...path, key]));
    }
    if (!(bare instanceof z.ZodObject)) return raw;
    const shape = new Map<string, unknown>(Object.entries(bare.shape));
    const known: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(raw)) {
      const field = shape.get(key);
      if (field !== undefined) known[key] = this.#withoutUnknownKeys(asType(field), item, [...path, key]);
      else this.unknownKey(key, shape.keys(), path);
    }
    return known;
  }

  unknownKey(key: string, valid: Iterable<string>, path: KeyPath): void {
    const choices = [...valid];
    const suggestion = nearest(key, choices);
    const hint = suggestion === undefined ? `valid here: ${choices.join(", ")}` : `did you mean ${suggestion}?`;
    this.fault("unknown_key", `unknown key ${key}; ${hint}`, [...path, key], suggestion, "key");
  }

  #report(schema: z.ZodType, issue: z.core.$ZodIssue, base: KeyPath, raw: unknown): void {
    const inner = issue.path.filter((step) => typeof step !== "symbol");
    const path = [...base, ...inner];
    const found = valueAt(raw, inner);
    if (found === undefined && issue.code === "invalid_type") {
      this.fault(
        "missing_key",
        `${String(path.at(-1) ?? "a value")} is required: ${expectation(issue)}`,
        path,
        undefined,
        "key",
      );
      return;
    }
    const choices = choicesAt(schema, inner);
    if (choices.length > 0 && issue.code === "invalid_value") {
      const suggestion = typeof found === "string" ? nearest(found, choices) : undefined;
      this.fault("invalid_value", `${describe(found)} is not one of ${choices.join(", ")}`, path, suggestion);
      return;
    }
    const code = issue.code === "invalid_type" ? "wrong_type" : "invalid_value";
    this.fault(
      code,
      issue.code === "invalid_type" ? `${expectation(issue)}, found ${kindOf(found)}` : issue.message,
      path,
    );
  }
}

function valueAt(value: unknown, path: KeyPath): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, step)) return undefined;
    current = Reflect.get(current, step);
  }
  return current;
}

function mapValues(record: Record<string, unknown>, map: (value: unknown, key: string) => unknown) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Returns the schema under `optional`, `default`, `nullable` and refinements. */
function unwrap(schema: z.ZodType): z.ZodType {
  let bare = schema;
  while (bare instanceof z.ZodOptional || bare instanceof z.ZodDefault || bare instanceof z.ZodNullable) {
    bare = asType(bare.unwrap());
  }
  return bare instanceof z.ZodPipe ? unwrap(asType(bare.in)) : bare;
}

/** Zod's accessors return its core type; every schema built by `z` is also a `ZodType`. */
function asType(schema: unknown): z.ZodType {
  return schema instanceof z.ZodType ? schema : z.unknown();
}

function choicesAt(schema: z.ZodType, path: KeyPath): string[] {
  let bare = unwrap(schema);
  for (const step of path) {
    if (bare instanceof z.ZodArray) bare = unwrap(asType(bare.element));
    else if (bare instanceof z.ZodRecord) bare = unwrap(asType(bare.valueType));
    else if (bare instanceof z.ZodObject) bare = unwrap(asType(bare.shape[String(step)]));
  }
  return bare instanceof z.ZodEnum ? bare.options.map(String) : [];
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};

function expectation(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_type" ? `expected ${KINDS[issue.expected] ?? issue.expected}` : issue.message;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return KINDS[typeof value] ?? typeof value;
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
