/** How a file is written, so that what is added to it looks like it. */
import { endOf, type SourceFile, type SyntaxNode, startOf } from "./syntax.ts";

export interface CodeStyle {
  readonly semicolon: ";" | "";
  readonly quote: (text: string) => string;
  readonly indent: string;
  readonly eol: "\n" | "\r\n";
}

export function styleOf({ text, program }: SourceFile): CodeStyle {
  const simple = program.body.filter(({ type }) => type === "ImportDeclaration" || type === "VariableDeclaration");
  const bareEnds = simple.filter((node) => text[endOf(node) - 1] !== ";").length;
  const single = (text.match(/(?:from|require\()\s*'/g) ?? []).length;
  const double = (text.match(/(?:from|require\()\s*"/g) ?? []).length;
  return {
    semicolon: simple.length > 0 && bareEnds * 2 > simple.length ? "" : ";",
    quote: (word) => (single > double ? `'${word.replaceAll("'", "\\'")}'` : JSON.stringify(word)),
    indent: /^\t/m.test(text) ? "\t" : /^ {2}\S/m.test(text) || !/^ {4}\S/m.test(text) ? "  " : "    ",
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

export function lineStart({ text }: SourceFile, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

export function indentAt(file: SourceFile, at: number): string {
  return /^[ \t]*/.exec(file.text.slice(lineStart(file, at)))?.[0] ?? "";
}

/** Where to insert lines before a statement: above the comments that belong to it. `undefined` = it shares its line. */
export function lineBefore(file: SourceFile, statement: SyntaxNode): number | undefined {
  const owns = (at: number): boolean => file.text.slice(lineStart(file, at), at).trim() === "";
  if (!owns(startOf(statement))) return undefined;
  let first = startOf(statement);
  for (const comment of (statement.leadingComments ?? []).toReversed()) {
    const start = comment.start ?? first;
    const between = file.text.slice(comment.end ?? first, first);
    if (!owns(start) || between.trim() !== "" || (between.match(/\n/g) ?? []).length > 1) break;
    first = start;
  }
  return lineStart(file, first);
}

/** Where to insert lines after a node: behind the comment at the end of its line. */
export function lineAfter({ text }: SourceFile, at: number): number {
  const rest = /^[ \t]*(\/\/[^\n\r]*)?(?=\r?\n|$)/.exec(text.slice(at));
  return rest ? at + rest[0].length : at;
}
