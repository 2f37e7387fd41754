/** Puts a run around the pipeline's entry. */
import { indentAt, styleOf } from "./code-style.ts";
import { type Edit, insert } from "./edits.ts";
import type { NamedFunction } from "./pipeline.ts";
import { endOf, startOf, textOf } from "./syntax.ts";

export type RunPlacement =
  | { readonly placed: true; readonly edits: readonly Edit[] }
  | { readonly placed: false; readonly why: string };

/** The body keeps its indentation: the diff is then two lines long. */
export function placeRun({ file, node }: NamedFunction): RunPlacement {
  if (node.generator) return { placed: false, why: "it is a generator: a run around it would end before it is read" };
  if (!node.async) return { placed: false, why: "it is not declared `async`, so it may have to answer at once" };
  const style = styleOf(file);
  const type = node.returnType ? textOf(file, node.returnType) : "";
  const { body } = node;
  if (body.type !== "BlockStatement") {
    return { placed: true, edits: [insert(startOf(body), `inRun(async ()${type} => (`), insert(endOf(body), "))")] };
  }
  const outer = indentAt(file, startOf(node));
  const first = body.directives.at(-1);
  const opening = first ? endOf(first) : startOf(body) + 1;
  const open = `\n${outer}${style.indent}return await inRun(async ()${type} => {`;
  const close = `${style.indent}})${style.semicolon}\n${outer}`;
  return { placed: true, edits: [insert(opening, open), insert(endOf(body) - 1, close)] };
}
