/**
 * The change of a route file that makes a variant the route's default. Only the top-level keys that change are written
 * anew, by the `yaml` library; every other byte of the file, comments included, stays as it is.
 */
import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { err, failure, ok, type Result } from "../failure/failure.ts";
import type { NarrowedRoute } from "../route/narrow.ts";
import type { Candidate } from "../route/route.ts";

interface Promotion {
  readonly text: string;
  /** Things a reviewer should know that the patch does not say by itself. */
  readonly notes: readonly string[];
}

/**
 * `text` is the route's file and `promoted` the variant as compiled from it. The variant's candidates, in its order and
 * with its params, come first; the others stay behind them as fallbacks, so that every variant still narrows the route.
 * The variant itself is kept: callers may name it.
 */
export function promoteVariant(text: string, promoted: NarrowedRoute): Result<Promotion> {
  const { route, variant } = promoted;
  const declared = route.variants.find(({ name }) => name === variant);
  if (!declared) return err(failure("bad_request", `route ${route.name} has no variant ${variant}`));
  const document = parseDocument(text);
  const root = document.contents;
  if (!isMap(root) || document.errors.length > 0) {
    return err(failure("bad_request", `the file of route ${route.name} cannot be read as YAML`));
  }
  const source = variantNode(document, root, variant);
  if (!source) return err(failure("bad_request", `the file of route ${route.name} declares no variant ${variant}`));

  const edits: Edit[] = [];
  const notes: string[] = [];
  const candidates = candidatesEdit(document, root, promoted, declared.candidates !== undefined);
  if (!candidates.ok) return candidates;
  if (candidates.value) edits.push(candidates.value);
  if (declared.template) {
    edits.push(editOf(root, "template", standAlone(document, source.get("template", true))));
    const inheriting = route.variants.filter((other) => other.name !== variant && !other.template);
    if (inheriting.length > 0) {
      notes.push(
        `variants without a template of their own get the new one: ${inheriting.map((v) => v.name).join(", ")}`,
      );
    }
  }
  if (declared.ladder) {
    const ladder = ladderEdit(root, standAlone(document, ladderNode(document, source)));
    if (!ladder) return err(failure("bad_request", `route ${route.name} has no output to take a ladder`));
    edits.push(ladder);
  }
  if (edits.length === 0) return err(failure("bad_request", `variant ${variant} does not differ from the default`));
  const fallbacks = route.candidates.length - promoted.candidates.length;
  if (fallbacks > 0) notes.push(`fallbacks behind it, as declared: ${fallbacks}`);
  const edited = applyEdits(text, edits);
  // What an alias elsewhere points to may have stood in what was replaced.
  if (!isReadable(edited)) {
    const message = `the file of route ${route.name} refers by alias to what would change; write it out, then try again`;
    return err(failure("bad_request", message));
  }
  return ok({ text: edited, notes });
}

function isReadable(text: string): boolean {
  const document = parseDocument(text);
  let readable = document.errors.length === 0;
  visit(document, {
    Alias(_key, alias) {
      readable &&= alias.resolve(document) !== undefined;
    },
  });
  return readable;
}

/** A copy that can stand anywhere: aliases written out, and no anchors, which stay where they were. */
function standAlone(document: Document, node: unknown): unknown {
  if (!isNode(node)) return node;
  const target = isAlias(node) ? node.resolve(document) : node;
  if (target === undefined) return node;
  const copy = target.clone() as Node;
  visit(copy, {
    Alias: (_key, alias) => standAlone(document, alias) as Node,
    Collection(_key, collection) {
      delete collection.anchor;
    },
    Scalar(_key, scalar) {
      delete scalar.anchor;
    },
  });
  return copy;
}

interface Edit {
  /** Where the key and its value stand in the file; a key that is new goes to the end. */
  readonly range: readonly [number, number] | undefined;
  readonly key: string;
  readonly value: unknown;
}

/** `chosen`: the variant lists its candidates, so they move to the front. Otherwise only params can differ. */
function candidatesEdit(
  document: Document,
  root: YAMLMap,
  { route, variant, candidates }: NarrowedRoute,
  chosen: boolean,
): Result<Edit | undefined> {
  const list = root.get("candidates", true);
  if (!isSeq(list)) return err(failure("bad_request", `route ${route.name} declares no list of candidates`));
  visit(list, { Alias: (_key, alias) => standAlone(document, alias) as Node });
  const before = document.toString();
  const front: YAMLMap[] = [];
  for (const candidate of candidates) {
    const node = candidateNode(list, candidate.key);
    if (!node) return err(failure("bad_request", `variant ${variant} names a candidate the route does not declare`));
    front.push(node);
    // From now on it serves.
    if (chosen) node.delete("trial");
    setParams(document, node, candidate, route.candidates);
  }
  if (chosen) list.items = [...front, ...list.items.filter((item) => !front.includes(item as YAMLMap))];
  return ok(document.toString() === before ? undefined : editOf(root, "candidates", list));
}

function ladderNode(document: Document, source: YAMLMap): unknown {
  const output = source.get("output", true);
  const own = isAlias(output) ? output.resolve(document) : output;
  return isMap(own) ? own.get("ladder", true) : undefined;
}

function ladderEdit(root: YAMLMap, ladder: unknown): Edit | undefined {
  const output = root.get("output", true);
  if (!isMap(output)) return undefined;
  if (output.has("ladder")) return editOf(output, "ladder", ladder);
  output.set("ladder", ladder);
  return editOf(root, "output", output);
}

function setParams(document: Document, node: YAMLMap, candidate: Candidate, declared: readonly Candidate[]): void {
  const own = declared.find(({ key }) => key === candidate.key);
  if (JSON.stringify(own?.params ?? {}) === JSON.stringify(candidate.params)) return;
  const params = Object.entries(candidate.params).filter(([, value]) => value !== undefined);
  const value = document.createNode(Object.fromEntries(params));
  if (isMap(value)) value.flow = true;
  node.set("params", value);
}

function candidateNode(list: YAMLSeq, key: string): YAMLMap | undefined {
  return list.items.find(
    (item): item is YAMLMap => isMap(item) && `${item.get("provider")}/${item.get("model")}` === key,
  );
}

function variantNode(document: Document, root: YAMLMap, name: string): YAMLMap | undefined {
  const variants = root.get("variants", true);
  if (!isSeq(variants)) return undefined;
  return variants.items
    .map((item) => (isAlias(item) ? item.resolve(document) : item))
    .find((item): item is YAMLMap => isMap(item) && item.get("name") === name);
}

function editOf(map: YAMLMap, key: string, value: unknown): Edit {
  const pair = map.items.find((item): item is Pair => isPair(item) && isScalar(item.key) && item.key.value === key);
  const from = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
  const to = isNode(pair?.value) ? pair.value.range?.[1] : undefined;
  return { range: from === undefined || to === undefined ? undefined : [from, to], key, value };
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lastFirst = [...edits].sort((a, b) => (b.range?.[0] ?? Infinity) - (a.range?.[0] ?? Infinity));
  return lastFirst.reduce((kept, { range, key, value }) => {
    // A comment after the last line of a list is outside its range: it stays in the file and is not written twice.
    if (isCollection(value) && range) value.comment = null;
    const lines = new Document({ [key]: value }).toString({ lineWidth: 0 }).trimEnd().split("\n");
    if (!range) return `${kept.replace(/\s*$/, eol)}${lines.join(eol)}${eol}`;
    const [from, to] = range;
    const indent = " ".repeat(from - (kept.lastIndexOf("\n", from - 1) + 1));
    // A block value's range runs to the start of the next key; what follows its last line is not part of it.
    const end = from + kept.slice(from, to).trimEnd().length;
    const written = lines.map((line, index) => (index === 0 || line === "" ? line : indent + line)).join(eol);
    return kept.slice(0, from) + written + kept.slice(end);
  }, text);
}
