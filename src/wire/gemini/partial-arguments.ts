/** Arguments of a function call that come in pieces, each named by a JSON path (`$.recipe.steps[0]`). */
import { isRecord, type JsonRecord, stringAt } from "../../json/record.ts";

type Container = Record<string, unknown> | unknown[];

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/gy;

export class PartialArguments {
  readonly #root: Record<string, unknown> = {};

  /** Text values continue where they stopped; anything else is whole. */
  add(pieces: readonly unknown[]): void {
    for (const piece of pieces) {
      if (!isRecord(piece)) continue;
      const path = steps(stringAt(piece, "jsonPath") ?? "");
      if (path !== undefined) place(this.#root, path, piece);
    }
  }

  toJson(): string {
    return JSON.stringify(this.#root);
  }
}

/** Undefined for a path that is not understood; `__proto__` and the like are ordinary keys of no meaning here. */
function steps(path: string): (string | number)[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const found: (string | number)[] = [];
  let at = 1;
  while (at < path.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (!match) return undefined;
    at = STEP.lastIndex;
    const [, name, index, single, double] = match;
    const key = name ?? (single ?? double)?.replace(/\\(.)/g, "$1");
    found.push(key ?? Number(index));
  }
  return found.length > 0 ? found : undefined;
}

/** No call has more members than this in one list: a larger index is a fault of the upstream, not a list to fill. */
const MOST_ITEMS = 100_000;

function place(root: Container, path: readonly (string | number)[], piece: JsonRecord): void {
  let here = root;
  for (const [depth, step] of path.entries()) {
    if (typeof step === "number" ? !Array.isArray(here) || step >= MOST_ITEMS : Array.isArray(here)) return;
    const next = path[depth + 1];
    const held = read(here, step);
    if (next === undefined) {
      write(here, step, valueIn(piece, held));
      return;
    }
    const inner = isContainer(held) ? held : typeof next === "number" ? [] : {};
    if (inner !== held) write(here, step, inner);
    here = inner;
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function read(container: Container, step: string | number): unknown {
  return Object.hasOwn(container, step) ? (container as Record<string | number, unknown>)[step] : undefined;
}

function write(container: Container, step: string | number, value: unknown): void {
  Object.defineProperty(container, step, { value, enumerable: true, configurable: true, writable: true });
}

function valueIn(piece: JsonRecord, held: unknown): unknown {
  if ("stringValue" in piece) return (typeof held === "string" ? held : "") + (stringAt(piece, "stringValue") ?? "");
  if ("numberValue" in piece) return piece["numberValue"];
  if ("boolValue" in piece) return piece["boolValue"];
  return null;
}
