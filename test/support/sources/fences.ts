/** Fenced blocks of a Markdown text. */
export interface Fence {
  /** What follows the opening backticks; empty = plain output. */
  readonly language: string;
  readonly text: string;
  /** Of its first line of text, from 1. */
  readonly line: number;
}

export function fencesOf(markdown: string): Fence[] {
  const fences: Fence[] = [];
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    const mark = /^```(\w*)\s*$/.exec(line);
    if (open && mark) {
      fences.push({ language: open.language, text: open.lines.join("\n"), line: open.line });
      open = undefined;
    } else if (mark) open = { language: mark[1] ?? "", line: index + 2, lines: [] };
    else open?.lines.push(line);
  }
  return fences;
}

/** Lines of a shell fence that are commands, without comments; a line that ends in a backslash goes on. */
export function commandsOf({ text }: Fence): string[] {
  return text
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** A printed text without what differs from run to run: numbers, ids and where lines break. */
export function shapeOf(text: string): string[] {
  const joined = text.replace(/\n {2}(?=\S)/g, " ");
  return joined
    .split("\n")
    .map((line) =>
      line
        .replace(/\b(prop|bo|inf|swap)_[0-9a-f-]+/g, "$1_ID")
        .replace(/[−-]?\$?\d[\d.,]*…?/g, "N")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((line) => line !== "");
}
