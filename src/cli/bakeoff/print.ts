import { matrixOf } from "../../bakeoff/matrix.ts";
import type { BakeoffReport } from "../../bakeoff/report.ts";
import type { Io } from "../command.ts";
import { paint } from "../output/style.ts";
import { type Column, layoutTable, tsvTable } from "../output/table.ts";

/** The matrix on stdout: aligned for a terminal, tab-separated table rows elsewhere. */
export function printMatrix(io: Io, report: BakeoffReport): void {
  const { title, header, rows, notes } = matrixOf(report);
  const columns: Column[] = header.map((text, index) => ({
    header: text,
    align: index === 1 ? "right" : "left",
    shrink: index === 0,
  }));
  if (io.stdout.isTTY !== true) {
    io.stdout.write([`${title}\n`, tsvTable(columns, rows), ...notes.map((note) => `${note}\n`)].join(""));
    return;
  }
  const width = io.stdout.columns ?? 80;
  const [head = "", ...body] = layoutTable(columns, rows, width);
  const heading = wrapped(title, width).map((line) => paint(io.stdout, "bold", line));
  const lines = [...heading, head, ...body, ...notes.flatMap((note) => wrapped(note, width))];
  io.stdout.write(`${lines.join("\n")}\n`);
}

/** Breaks a line at spaces; what follows is indented. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line.trimEnd());
      line = `  ${word}`;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
