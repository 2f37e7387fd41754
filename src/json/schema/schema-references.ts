/** Where the references of a schema lead: nothing is fetched, so to a part of the schema itself or nowhere. */
import { pointerTo } from "../pointer.ts";
import { isRecord, type JsonRecord } from "../record.ts";
import type { SchemaFault } from "./schema-faults.ts";
import { subschemas } from "./schema-keywords.ts";

/** A schema or a part of one. */
export type SchemaPart = JsonRecord | boolean;

interface SchemaReferences {
  /** By the part that holds a `$ref`: the part it leads to. */
  readonly targets: ReadonlyMap<JsonRecord, SchemaPart>;
  /** JSON pointer of each part from the top of the schema. */
  readonly pointers: ReadonlyMap<SchemaPart, string>;
  readonly faults: readonly SchemaFault[];
}

/** Stands for the address of a schema that has none. */
const UNNAMED = "https://schema.invalid/";

export function resolveReferences(root: SchemaPart): SchemaReferences {
  const index = new ReferenceIndex();
  if (isRecord(root)) index.enter(root, UNNAMED, "");
  return index.resolve();
}

class ReferenceIndex {
  readonly #targets = new Map<JsonRecord, SchemaPart>();
  readonly #pointers = new Map<SchemaPart, string>();
  readonly #bases = new Map<JsonRecord, string>();
  /** Schemas by address, and by address with `#` and an anchor. */
  readonly #named = new Map<string, JsonRecord>();
  readonly #faults: SchemaFault[] = [];
  /** Parts whose references are still to be resolved. */
  readonly #open: JsonRecord[] = [];

  /** Takes in a part and all below it. */
  enter(part: JsonRecord, outer: string, pointer: string): void {
    if (this.#bases.has(part)) return;
    const base = this.#baseOf(part, outer, pointer);
    this.#bases.set(part, base);
    this.#pointers.set(part, pointer);
    if (pointer === "") this.#name(base, part, pointer);
    if (typeof part["$anchor"] === "string") this.#name(`${base}#${part["$anchor"]}`, part, pointer);
    this.#open.push(part);
    for (const [path, child] of subschemas(part)) {
      if (isRecord(child)) this.enter(child, base, path.reduce<string>(pointerTo, pointer));
    }
  }

  resolve(): SchemaReferences {
    for (let part = this.#open.pop(); part !== undefined; part = this.#open.pop()) {
      const reference = part["$ref"];
      if (typeof reference !== "string") continue;
      const target = this.#targetOf(reference, this.#bases.get(part) ?? UNNAMED);
      if (target !== undefined) this.#targets.set(part, target);
      else {
        const pointer = pointerTo(this.#pointers.get(part) ?? "", "$ref");
        const message = `refers to ${reference}, which is not in the schema; remote schemas are not fetched`;
        this.#faults.push({ pointer, message });
      }
    }
    const faults = [...this.#faults, ...circles(this.#pointers, this.#targets)];
    return { targets: this.#targets, pointers: this.#pointers, faults };
  }

  /** The address that references in the part are relative to. */
  #baseOf(part: JsonRecord, outer: string, pointer: string): string {
    const id = part["$id"];
    if (typeof id !== "string") return outer;
    const url = parsedUrl(id, outer);
    if (url === undefined) {
      this.#faults.push({ pointer: pointerTo(pointer, "$id"), message: `is not an address: ${id.slice(0, 200)}` });
      return outer;
    }
    // Up to draft-07 an anchor is an `$id` that is a fragment alone.
    if (id.startsWith("#") && id.length > 1) {
      this.#name(`${outer}#${decoded(url.hash.slice(1))}`, part, pointer);
      return outer;
    }
    url.hash = "";
    if (pointer !== "") this.#name(url.href, part, pointer);
    return url.href;
  }

  #name(uri: string, part: JsonRecord, pointer: string): void {
    const known = this.#named.get(uri);
    if (known !== undefined && known !== part) {
      this.#faults.push({ pointer, message: `has the same name as another schema in it: ${uri.slice(0, 200)}` });
    }
    this.#named.set(uri, part);
  }

  #targetOf(reference: string, base: string): SchemaPart | undefined {
    const url = parsedUrl(reference, base);
    if (url === undefined) return undefined;
    const fragment = decoded(url.hash.slice(1));
    url.hash = "";
    const resource = this.#named.get(url.href);
    if (resource === undefined || fragment === "") return resource;
    return fragment.startsWith("/") ? this.#below(resource, fragment) : this.#named.get(`${url.href}#${fragment}`);
  }

  /** The part at a pointer, also inside a keyword that is not known. */
  #below(resource: JsonRecord, fragment: string): SchemaPart | undefined {
    let base = this.#bases.get(resource) ?? UNNAMED;
    let pointer = this.#pointers.get(resource) ?? "";
    let at: unknown = resource;
    for (const token of fragment.slice(1).split("/")) {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as JsonRecord)[key];
      pointer = pointerTo(pointer, key);
      if (isRecord(at)) base = this.#bases.get(at) ?? base;
    }
    if (isRecord(at)) this.enter(at, base, pointer);
    return isRecord(at) || typeof at === "boolean" ? at : undefined;
  }
}

/** Keywords whose schemas apply to the same value: a circle through these and `$ref` alone never ends. */
const IN_PLACE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];
const MAX_CHAIN = 500;

function circles(parts: ReadonlyMap<SchemaPart, string>, targets: ReadonlyMap<JsonRecord, SchemaPart>): SchemaFault[] {
  const faults: SchemaFault[] = [];
  const settled = new Set<unknown>();
  const open = new Set<unknown>();
  const follow = (part: unknown, pointer: string): void => {
    if (!isRecord(part) || settled.has(part)) return;
    if (open.has(part) || open.size > MAX_CHAIN) {
      faults.push({ pointer, message: "refers in a circle to itself" });
      return;
    }
    open.add(part);
    follow(targets.get(part), pointer);
    for (const [path, child] of subschemas(part)) {
      if (IN_PLACE.includes(String(path[0]))) follow(child, path.reduce<string>(pointerTo, pointer));
    }
    open.delete(part);
    settled.add(part);
  };
  for (const [part, pointer] of parts) follow(part, pointer);
  return faults;
}

function parsedUrl(reference: string, base: string): URL | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base) : undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
