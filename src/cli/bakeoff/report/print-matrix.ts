import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { type Grid, matrixOf } from "../../../render/terminal/matrix.ts";
import type { Io } from "../../command.ts";
import { paint } from "../../output/style.ts";
import { type Column, layoutTable, tsvTable } from "../../output/table.ts";

/** The matrix on stdout: aligned tables for a terminal, one tab-separated table of all columns elsewhere. */
export function printMatrix(io: Io, report: BakeoffReport): void {
  const { title, tables, flat, notes } = matrixOf(report);
  if (io.stdout.isTTY !== true) {
    io.stdout.write([`${title}\n`, tsvTable(columnsOf(flat), flat.rows), ...notes.map((note) => `${note}\n`)].join(""));
    return;
  }
  const width = io.stdout.columns || 80;
  const heading = wrapped(title, width).map((line) => paint(io.stdout, "bold", line));
  const body = tables.flatMap((table) => layoutTable(columnsOf(table), table.rows, width));
  const lines = [...heading, ...body, ...notes.flatMap((note) => wrapped(note, width))];
  io.stdout.write(`${lines.join("\n")}\n`);
}

function columnsOf({ header }: Grid): Column[] {
  return header.map((text, index) => ({
    header: text,
    align: index === 1 ? "right" : "left",
    shrink: index === 0,
  }));
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
