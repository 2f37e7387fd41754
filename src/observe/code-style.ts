/** How a file is written, so that what is added to it looks like it. */
import { endOf, type SourceFile } from "./syntax.ts";

interface CodeStyle {
  readonly semicolon: ";" | "";
  readonly quote: (text: string) => string;
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
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
