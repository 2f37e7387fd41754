/** Parses YAML 1.2 text to a plain JSON value and keeps the position of each part. */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
} from "yaml";
import { type Fault, type KeyPath, pathText } from "./fault.ts";

/** Bundles are prompts and schemas written by hand; anything larger is a mistake or an attack. */
const MAX_CHARACTERS = 1_000_000;
const MAX_ALIASES = 100;
const MAX_DEPTH = 100;
/** Most faults reported; further ones usually follow from these. */
const MAX_SYNTAX_FAULTS = 10;

/** Where a fault points: a value, the key in front of it, or a place inside a multi-line text value. */
type Spot = "value" | "key" | { readonly row: number; readonly col: number };

interface FaultDetails {
  readonly path: KeyPath;
  readonly spot?: Spot | undefined;
  readonly severity?: Fault["severity"] | undefined;
  readonly rank?: Fault["rank"] | undefined;
  readonly suggestion?: string | undefined;
}

/** A parsed file. `value` is undefined where the text is not YAML at all; `faults` then says why. */
export interface LocatedYaml {
  readonly file: string;
  readonly value: unknown;
  readonly faults: readonly Fault[];
  /** A fault of this file at a key path. */
  fault(code: string, message: string, details: FaultDetails): Fault;
}

/** Never throws, whatever the text is. `prefix` begins the codes of syntax faults (`route`, `config`). */
export function parseLocatedYaml(file: string, text: string, prefix: string): LocatedYaml {
  const lines = new LineCounter();
  const faults: Fault[] = [];
  let document: Document.Parsed | undefined;

  const at = (offset: number, length: number) => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col), length: Math.max(1, length) };
  };
  const syntax = (code: string, message: string, offset: number, length: number): Fault => ({
    ...at(offset, length),
    severity: "error",
    code: `${prefix}.${code}`,
    message,
    path: "",
    rank: "syntax",
  });
  const located = (value: unknown): LocatedYaml => ({
    file,
    value,
    faults,
    fault: (code, message, { path, spot = "value", severity = "error", rank, suggestion }) => ({
      ...locate(document, text, path, spot, at),
      severity,
      code,
      message,
      path: pathText(path),
      suggestion,
      rank: rank ?? (severity === "warning" ? "warning" : "meaning"),
    }),
  });

  if (text.length > MAX_CHARACTERS) {
    faults.push(syntax("too_large", `the file is larger than ${MAX_CHARACTERS} characters`, 0, 1));
    return located(undefined);
  }
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, version: "1.2" });
    for (const problem of [...document.errors, ...document.warnings].slice(0, MAX_SYNTAX_FAULTS)) {
      const [start, end] = problem.pos;
      const code = problem.code === "DUPLICATE_KEY" ? "duplicate_key" : "yaml_syntax";
      faults.push(syntax(code, sentence(problem.message), start, end - start));
    }
    if (document.errors.length > 0) return located(undefined);
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    const foreign = firstForeign(value, [], 0);
    if (foreign) {
      faults.push(located(value).fault(`${prefix}.not_json`, foreign.why, { path: foreign.path, rank: "syntax" }));
      return located(undefined);
    }
    return located(value);
  } catch (cause) {
    // The library throws on resource limits only: too many aliases (ReferenceError), nesting beyond the stack (RangeError).
    const why =
      cause instanceof RangeError ? "nested too deeply" : cause instanceof Error ? cause.message : String(cause);
    faults.push(syntax("yaml_syntax", sentence(why), 0, 1));
    return located(undefined);
  }
}

function sentence(message: string): string {
  const line = message.split("\n", 1)[0] ?? message;
  return line.charAt(0).toLowerCase() + line.slice(1);
}

/** Returns the first part of a value that JSON cannot represent. */
function firstForeign(value: unknown, path: KeyPath, depth: number): { path: KeyPath; why: string } | undefined {
  if (depth > MAX_DEPTH) return { path, why: `nested deeper than ${MAX_DEPTH} levels` };
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { path, why: "not a finite number" };
  if (typeof value !== "object") return { path, why: `a ${typeof value} has no place in JSON` };
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) {
    return { path, why: "only maps, lists, texts, numbers, booleans and null are allowed" };
  }
  for (const [key, child] of Object.entries(value)) {
    const found = firstForeign(child, [...path, Array.isArray(value) ? Number(key) : key], depth + 1);
    if (found) return found;
  }
  return undefined;
}

type At = (offset: number, length: number) => Pick<Fault, "file" | "line" | "column" | "length">;

function locate(document: Document.Parsed | undefined, text: string, path: KeyPath, spot: Spot, at: At) {
  if (!document) return at(0, 1);
  let node: unknown = document.contents;
  let key: unknown;
  let found = true;
  for (const step of path) {
    const target: unknown = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(target) ? target.items.find((item) => isScalar(item.key) && item.key.value === step) : undefined;
    const next = pair ? (pair.value ?? pair.key) : isSeq(target) ? target.items[Number(step)] : undefined;
    if (next === undefined || next === null) {
      found = false;
      break;
    }
    key = pair?.key ?? key;
    node = next;
  }
  // A missing key has no position, so its parent is pointed at.
  const chosen = spot === "key" && found && isNode(key) ? key : node;
  if (!isNode(chosen) || !chosen.range) return at(0, 1);
  if (typeof spot === "object") return insideScalar(chosen, text, spot, at);
  const [start, end] = chosen.range;
  const firstLine = text.slice(start, end).split("\n", 1)[0] ?? "";
  return at(start, firstLine.trimEnd().length);
}

/** Rows of a literal block are lines of the file; other styles fold lines, so the whole value is pointed at. */
function insideScalar(node: Node, text: string, { row, col }: { row: number; col: number }, at: At) {
  const start = node.range?.[0] ?? 0;
  if (!isScalar(node) || node.type !== Scalar.BLOCK_LITERAL) return at(start, 1);
  const body = text.indexOf("\n", start) + 1;
  const written = text.slice(body).split("\n");
  const indent = /^ */.exec(written.find((line) => line.trim() !== "") ?? "")?.[0].length ?? 0;
  const before = written.slice(0, row - 1).reduce((sum, line) => sum + line.length + 1, 0);
  return at(body + before + indent + col - 1, 1);
}
