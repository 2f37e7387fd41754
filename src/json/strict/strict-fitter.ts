/** The walk that rewrites one schema for one provider's strict mode; collects what cannot be said there. */
import { pointerTo } from "../pointer.ts";
import { isRecord, type JsonRecord } from "../record.ts";
import type { SchemaDocument } from "../schema/schema-document.ts";
import { mergeSchemas } from "./schema-merge.ts";
import { constraintText, isNote, NARROWING, notesOf, orNull, typesOf } from "./strict-parts.ts";
import type { StrictProfile } from "./strict-profiles.ts";

export interface StrictFault {
  /** JSON pointer into the original schema. */
  readonly pointer: string;
  readonly why: string;
}

type Fitted = Record<string, unknown>;

/** Rewriting may copy a part wherever it is referred to; this bounds it. */
const MAX_PARTS = 20_000;
const NOTHING = {};
const BESIDE_REFERENCE = ["$defs", "definitions", "nullable"];

export class SchemaFitter {
  readonly faults: StrictFault[] = [];
  readonly moved: string[] = [];
  lossy = false;
  nullsForAbsent = false;
  readonly #document: SchemaDocument;
  readonly #profile: StrictProfile;
  readonly #definitions = new Map<unknown, { readonly name: string; schema: Fitted }>();
  /** Targets of the references that lead to where the walk is. */
  readonly #path: unknown[] = [];
  #parts = 0;

  constructor(document: SchemaDocument, profile: StrictProfile) {
    this.#document = document;
    this.#profile = profile;
  }

  fitRoot(): JsonRecord {
    const root = this.#fit(this.#document.root, "", true);
    const definitions = [...this.#definitions.values()].map(({ name, schema }) => [name, schema] as const);
    return definitions.length === 0 ? root : { ...root, $defs: Object.fromEntries(definitions) };
  }

  #fail(pointer: string, why: string): Fitted {
    this.faults.push({ pointer, why });
    return NOTHING;
  }

  #fit(part: unknown, pointer: string, atRoot = false): Fitted {
    const fitted = this.#fitPart(part, pointer, atRoot);
    if (fitted === NOTHING || !isRecord(part) || part["nullable"] !== true) return fitted;
    return this.#profile.union === "type_list" ? orNull(fitted) : this.#anyOf([fitted, { type: "null" }], {});
  }

  #fitPart(part: unknown, pointer: string, atRoot: boolean): Fitted {
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) return this.faults.length > 0 ? NOTHING : this.#fail(pointer, "is too large");
    if (!isRecord(part)) return this.#fail(pointer, "says nothing about the value; strict mode needs a type");
    if (!atRoot && this.#profile.references !== "none" && isBareReference(part)) return this.#reference(part, pointer);
    const targets: unknown[] = [];
    const parts = this.#flatten(part, pointer, targets);
    if (parts === undefined) return NOTHING;
    const together = mergeSchemas(parts);
    if ("conflict" in together) return this.#fail(pointer, `allOf cannot be merged over ${together.conflict}`);
    this.#path.push(...targets);
    const fitted = this.#fitMerged(together.merged, pointer);
    this.#path.length -= targets.length;
    return fitted;
  }

  /** A part and everything that applies with it by `$ref` and `allOf`; `undefined` after a fault. */
  #flatten(part: JsonRecord, pointer: string, targets: unknown[]): JsonRecord[] | undefined {
    const { $ref: _reference, nullable: _nullable, allOf, $defs: _defs, definitions: _definitions, ...own } = part;
    const joined: unknown[] = Array.isArray(allOf) ? [...allOf] : [];
    const target = this.#document.targets.get(part);
    if (target !== undefined) {
      if (targets.includes(target) || this.#path.includes(target) || (target === this.#document.root && pointer)) {
        this.#fail(pointer, "is recursive, which strict mode does not take here");
        return undefined;
      }
      targets.push(target);
      joined.push(target);
    }
    const parts: JsonRecord[] = [own];
    for (const other of joined) {
      if (other === true) continue;
      const more = isRecord(other) ? this.#flatten(other, pointer, targets) : undefined;
      if (more === undefined) return undefined;
      parts.push(...more);
    }
    return parts;
  }

  /** A reference that is sent as one; its target is fitted once, among the definitions. */
  #reference(part: JsonRecord, pointer: string): Fitted {
    const target = this.#document.targets.get(part);
    if (target === this.#document.root && this.#profile.references === "any") return { $ref: "#" };
    if (this.#profile.references === "acyclic" && (target === this.#document.root || this.#path.includes(target))) {
      return this.#fail(pointer, "is recursive, which strict mode does not take");
    }
    const known = this.#definitions.get(target);
    if (known) return { $ref: `#${pointerTo("/$defs", known.name)}` };
    const origin = this.#pointerOf(target);
    const definition = { name: this.#freeName(origin), schema: NOTHING };
    this.#definitions.set(target, definition);
    this.#path.push(target);
    definition.schema = this.#fit(target, origin, true);
    this.#path.pop();
    return { $ref: `#${pointerTo("/$defs", definition.name)}` };
  }

  #pointerOf(target: unknown): string {
    return (isRecord(target) && this.#document.pointers.get(target)) || "";
  }

  #freeName(pointer: string): string {
    const base = (pointer.split("/").at(-1) ?? "").replace(/[^A-Za-z0-9_-]/g, "_") || "part";
    const taken = new Set([...this.#definitions.values()].map(({ name }) => name));
    let name = base;
    for (let again = 2; taken.has(name); again += 1) name = `${base}_${again}`;
    return name;
  }

  #fitMerged(part: JsonRecord, pointer: string): Fitted {
    const alternatives = part["anyOf"] ?? part["oneOf"];
    if (Array.isArray(alternatives)) return this.#fitUnion(part, alternatives, pointer);
    const types = typesOf(part);
    if (types === undefined) return this.#fail(pointer, "has no type, and strict mode needs one");
    const plain = types.filter((type) => type !== "null");
    if (plain.length <= 1 || this.#profile.union === "type_list") return this.#fitTyped(part, types, pointer);
    const each = types.map((type) => this.#fitTyped(onlyFor(part, type), [type], pointer));
    return this.#anyOf(each, part);
  }

  #fitUnion(part: JsonRecord, alternatives: readonly unknown[], pointer: string): Fitted {
    const keyword = part["anyOf"] === undefined ? "oneOf" : "anyOf";
    const { [keyword]: _alternatives, ...own } = part;
    const shared = Object.fromEntries(Object.entries(own).filter(([key]) => !isNote(key)));
    if (keyword === "oneOf") this.lossy = true;
    const fitted = alternatives.map((alternative, index) => {
      const whole = Object.keys(shared).length === 0 ? alternative : { allOf: [shared, alternative] };
      return this.#fit(whole, pointerTo(pointerTo(pointer, keyword), index));
    });
    return this.#anyOf(fitted, own);
  }

  #anyOf(fitted: readonly Fitted[], part: JsonRecord): Fitted {
    const flagged = this.#profile.union === "nullable_flag";
    const others = flagged ? fitted.filter(({ type }) => type !== "null") : fitted;
    const nullable = others.length < fitted.length ? { nullable: true } : {};
    const [only] = others;
    if (only !== undefined && others.length === 1 && only["$ref"] === undefined) {
      return { ...only, ...notesOf(part), ...nullable };
    }
    return { anyOf: others, ...notesOf(part), ...nullable };
  }

  #fitTyped(part: JsonRecord, types: readonly string[], pointer: string): Fitted {
    const { union } = this.#profile;
    const plain = types.filter((type) => type !== "null");
    const values = this.#fitValues(part, types, pointer);
    const fitted: Fitted = { ...this.#typeWords(plain, types), ...values.words };
    if (plain.includes("object")) Object.assign(fitted, this.#fitObject(part, pointer));
    if (plain.includes("array")) Object.assign(fitted, this.#fitArray(part, pointer));
    Object.assign(fitted, this.#narrow(part, values.moved, pointer));
    const split = union === "any_of" && plain.length > 0 && types.length > plain.length;
    return split ? { anyOf: [fitted, { type: "null" }] } : fitted;
  }

  #typeWords(plain: readonly string[], types: readonly string[]): Fitted {
    const { union } = this.#profile;
    const [first = "null"] = plain;
    if (union === "type_list") return { type: types.length === 1 ? types[0] : [...types] };
    return { type: first, ...(union === "nullable_flag" && types.length > plain.length ? { nullable: true } : {}) };
  }

  /** `enum` and `const`, as far as the provider takes them; the rest is named in `moved`. */
  #fitValues(part: JsonRecord, types: readonly string[], pointer: string): { words: Fitted; moved: string[] } {
    const { enumOf, hasConst, union } = this.#profile;
    const constant = Object.hasOwn(part, "const");
    if (constant && hasConst)
      return { words: { const: part["const"] }, moved: Array.isArray(part["enum"]) ? ["enum"] : [] };
    const listed = constant ? [part["const"]] : part["enum"];
    if (!Array.isArray(listed)) return { words: {}, moved: [] };
    const keepsNull = union === "type_list" && types.includes("null");
    const values = (listed as unknown[]).filter((value) => keepsNull || value !== null);
    if (values.length === 0) return { words: {}, moved: [] };
    const taken =
      enumOf === "anything" ||
      values.every((value) => typeof value === "string" || (enumOf === "scalars" && typeof value !== "object"));
    if (taken) return { words: { enum: values }, moved: [] };
    if (enumOf !== "strings") this.#fail(pointer, "an enum of objects or arrays is not taken");
    return { words: {}, moved: [constant ? "const" : "enum"] };
  }

  #fitObject(part: JsonRecord, pointer: string): Fitted {
    const { optional, closes, propertyOrdering } = this.#profile;
    const properties = isRecord(part["properties"]) ? part["properties"] : {};
    const names = Object.keys(properties);
    if (names.length === 0) return this.#fail(pointer, "an object without declared properties is not taken");
    if (isRecord(part["additionalProperties"]) || part["patternProperties"] !== undefined) {
      return this.#fail(pointer, "an object with freely named properties is not taken");
    }
    const required = Array.isArray(part["required"]) ? (part["required"] as unknown[]) : [];
    const undeclared = required.find((name) => !names.includes(String(name)));
    if (undeclared !== undefined)
      return this.#fail(pointer, `the required property ${String(undeclared)} is not declared`);
    const fitted = Object.entries(properties).map(([name, property]) => {
      const inner = this.#fit(property, pointerTo(pointerTo(pointer, "properties"), name));
      if (optional !== "nullable" || required.includes(name)) return [name, inner] as const;
      this.nullsForAbsent = true;
      return [name, orNull(inner)] as const;
    });
    const needed = optional === "nullable" ? names : names.filter((name) => required.includes(name));
    return {
      properties: Object.fromEntries(fitted),
      ...(needed.length > 0 ? { required: needed } : {}),
      ...(closes ? { additionalProperties: false } : {}),
      ...(propertyOrdering ? { propertyOrdering: names } : {}),
    };
  }

  #fitArray(part: JsonRecord, pointer: string): Fitted {
    const { items, prefixItems } = part;
    if (prefixItems !== undefined || Array.isArray(items)) return this.#fail(pointer, "a tuple is not taken");
    if (!isRecord(items)) return this.#fail(pointer, "an array without a schema of its items is not taken");
    return { items: this.#fit(items, pointerTo(pointer, "items")) };
  }

  /** Bounds, formats and everything else that narrows: kept where enforced, else told in the description. */
  #narrow(part: JsonRecord, alreadyMoved: readonly string[], pointer: string): Fitted {
    const { enforced, formats } = this.#profile;
    const kept: Fitted = {};
    const moved: [keyword: string, value: unknown][] = alreadyMoved.map((keyword) => [keyword, part[keyword]]);
    for (const [keyword, value] of Object.entries(part)) {
      if (!NARROWING.includes(keyword)) continue;
      const taken = keyword === "format" ? formats.includes(String(value)) : enforced.includes(keyword);
      if (taken) kept[keyword] = value;
      else moved.push([keyword, value]);
    }
    this.moved.push(...moved.map(([keyword]) => pointerTo(pointer, keyword)));
    const { title, description } = notesOf(part);
    const told = [description, constraintText(moved)].filter((text) => text !== undefined).join("\n");
    return { ...(title === undefined ? {} : { title }), ...(told === "" ? {} : { description: told }), ...kept };
  }
}

/** `$ref` and nothing else that narrows. */
function isBareReference(part: JsonRecord): boolean {
  const { $ref, ...rest } = part;
  return $ref !== undefined && Object.keys(rest).every((key) => isNote(key) || BESIDE_REFERENCE.includes(key));
}

/** The part as it reads for values of one type. */
function onlyFor(part: JsonRecord, type: string): JsonRecord {
  const { enum: values, ...rest } = part;
  if (!Array.isArray(values)) return { ...rest, type };
  return { ...rest, type, enum: (values as unknown[]).filter((value) => typesOf({ const: value })?.[0] === type) };
}
