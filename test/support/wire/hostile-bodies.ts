/** Bodies made of an endpoint's own schema: one that it takes, and the same with one field replaced by a hostile value. */
import { z } from "zod";

type Json = Readonly<Record<string, unknown>>;
export type FieldPath = readonly (string | number)[];

/** JSON texts, so that numbers and escapes that no JavaScript value holds can be sent as well. */
export const HOSTILE_VALUES: Readonly<Record<string, string>> = {
  "not a number": '"NaN"',
  "too large for a double": "1e400",
  "a word": '"abc"',
  "a negative number": "-1",
  "an exponent as text": '"1e3"',
  "a number above 2^53": "9007199254740993",
  "negative zero": "-0",
  "a fraction": "1.5",
  "U+0000": '"a\\u0000b"',
  "half a surrogate pair": '"a\\ud800b"',
  "text that is read backwards": '"a\\u202eb"',
  "a line break": '"a\\nb"',
  "the last instant": '"9999-12-31T23:59:59Z"',
  "the last instant in milliseconds": "253402300799999",
  "a day that does not exist": '"2026-02-30T00:00:00Z"',
  "digits of another script": '"١٢"',
  "a list": "[1]",
  "an object": '{"a":1}',
  "a prototype": '{"__proto__":{"a":1}}',
  nothing: "null",
  true: "true",
  "an empty text": '""',
  "a long text": JSON.stringify("x".repeat(5_000)),
  "a deep list": `${"[".repeat(30)}${"]".repeat(30)}`,
  "many dollars": '"999999.999999999"',
  "dollars beyond what is exact": '"99999999999"',
  "a tenth decimal": '"0.0000000001"',
  "a statement": `"'; DROP TABLE orgs; --"`,
  "a path": '"../../etc"',
};

/** Texts that fit the patterns of the contract. */
const WORDS = [
  "demo.a",
  "0.25",
  "0.250000000",
  "1",
  "a".repeat(64),
  "a".repeat(32),
  "2026-11-29",
  "https://example.com",
  "sim/atlas-large",
  "en",
];

export interface HostileBody {
  readonly field: FieldPath;
  readonly value: string;
  /** JSON text. */
  readonly body: string;
}

export class BodySamples {
  readonly #root: Json;

  constructor(schema: z.ZodType) {
    this.#root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json;
  }

  /** A body with every field, of the first form of each. */
  sample(): unknown {
    return this.#sampleOf(this.#root, 0);
  }

  *hostile(): Generator<HostileBody> {
    for (const field of this.#fields(this.#root, [], 0)) {
      const marked = JSON.stringify(this.#put(this.#root, this.sample(), field));
      for (const [value, text] of Object.entries(HOSTILE_VALUES))
        yield { field, value, body: marked.replace(JSON.stringify(MARK), () => text) };
    }
  }

  #resolved(schema: Json): Json {
    const { $ref: ref, allOf: all } = schema;
    if (Array.isArray(all))
      return this.#resolved(Object.assign({}, ...(all as Json[]).map((one) => this.#resolved(one))));
    if (typeof ref !== "string") return schema;
    const target = ref
      .split("/")
      .slice(1)
      .reduce<unknown>((at, key) => (at as Json)[key], this.#root);
    return this.#resolved(target as Json);
  }

  /** The forms that a value may have, those of `null` last. */
  #forms(schema: Json): readonly Json[] {
    const resolved = this.#resolved(schema);
    const either = (resolved["anyOf"] ?? resolved["oneOf"]) as readonly Json[] | undefined;
    if (Array.isArray(resolved["type"])) return resolved["type"].map((type: unknown) => ({ ...resolved, type }));
    if (!either) return [resolved];
    const forms = either.flatMap((one) => this.#forms(one));
    return forms.toSorted((a, b) => Number(a["type"] === "null") - Number(b["type"] === "null"));
  }

  #sampleOf(schema: Json, depth: number): unknown {
    const [form = {}] = this.#forms(schema);
    if ("const" in form) return form["const"];
    const [first] = (form["enum"] as readonly unknown[] | undefined) ?? [];
    if (first !== undefined) return first;
    switch (form["type"]) {
      case "object":
        return this.#sampleObject(form, depth);
      case "array":
        return Array.from({ length: Math.max(1, Number(form["minItems"] ?? 1)) }, () =>
          this.#sampleOf((form["items"] as Json | undefined) ?? {}, depth + 1),
        );
      case "integer":
        return Math.max(Number(form["minimum"] ?? 0), Number(form["exclusiveMinimum"] ?? -1) + 1);
      case "number":
        return Math.max(Number(form["minimum"] ?? 0), form["exclusiveMinimum"] === undefined ? 0 : 0.5);
      case "boolean":
        return true;
      case "null":
        return null;
      default:
        return sampleText(form);
    }
  }

  #sampleObject(form: Json, depth: number): Json {
    const properties = (form["properties"] ?? {}) as Readonly<Record<string, Json>>;
    const required = new Set(form["required"] as readonly string[] | undefined);
    // Beyond a few levels only what must be there, for schemas that contain themselves.
    const wanted = Object.entries(properties).filter(([name]) => depth < 6 || required.has(name));
    return Object.fromEntries(wanted.map(([name, one]) => [name, this.#sampleOf(one, depth + 1)]));
  }

  *#fields(schema: Json, path: FieldPath, depth: number): Generator<FieldPath> {
    yield path;
    if (depth > 8) return;
    const seen = new Set<string>();
    for (const form of this.#forms(schema)) {
      for (const [name, one] of Object.entries((form["properties"] ?? {}) as Readonly<Record<string, Json>>)) {
        if (seen.has(name)) continue;
        seen.add(name);
        yield* this.#fields(one, [...path, name], depth + 1);
      }
      if (form["items"]) yield* this.#fields(form["items"] as Json, [...path, 0], depth + 1);
    }
  }

  /** The value with a mark in place of one field; what the field lies in is made where the sample has it not. */
  #put(schema: Json, value: unknown, [key, ...rest]: FieldPath): unknown {
    if (key === undefined) return MARK;
    if (typeof key === "number") {
      const list = this.#forms(schema).find(({ items }) => items);
      const [first] = Array.isArray(value) ? (value as unknown[]) : [];
      return [this.#put((list?.["items"] ?? {}) as Json, first, rest)];
    }
    const form = this.#forms(schema).find(({ properties }) => Object.hasOwn((properties ?? {}) as object, key)) ?? {};
    const inner = ((form["properties"] ?? {}) as Readonly<Record<string, Json>>)[key] ?? {};
    const fits = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    const around = fits ? (value as Json) : this.#sampleObject(form, 0);
    return { ...around, [key]: this.#put(inner, around[key], rest) };
  }
}

const MARK = "replaced by a hostile value";

function sampleText(form: Json): string {
  if (form["format"] === "date-time") return "2026-11-29T00:00:00.000Z";
  const pattern = form["pattern"];
  const fits = (word: string): boolean =>
    (typeof pattern !== "string" || new RegExp(pattern, "u").test(word)) &&
    word.length >= Number(form["minLength"] ?? 0) &&
    word.length <= Number(form["maxLength"] ?? Infinity);
  return [...WORDS, "a".repeat(Number(form["minLength"] ?? 0))].find(fits) ?? "";
}
