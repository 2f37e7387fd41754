import stringWidth from "string-width";
import { withoutControls } from "../../intake/fields.ts";
import type { Io } from "../command.ts";
import { paint } from "./style.ts";

export interface Column {
  readonly header: string;
  /** `decimal` lines numbers up at their decimal point. Default `left`. */
  readonly align?: "left" | "right" | "decimal" | undefined;
  /** May be shortened with an ellipsis when the terminal is too narrow; figures never are. */
  readonly shrink?: boolean | undefined;
}

const GAP = "  ";
/** Also of a terminal that says it has no columns, as some pseudo-terminals do. */
const FALLBACK_WIDTH = 80;
const NARROWEST = 8;

/** Prints rows to stdout: aligned for a terminal, tab-separated and untruncated for anything else. */
export function printTable(io: Io, columns: readonly Column[], rows: readonly (readonly string[])[]): void {
  io.stdout.write(io.stdout.isTTY === true ? alignedTable(io, columns, rows) : tsvTable(columns, rows));
}

/** Tab-separated text with a header line. Control characters and marks that reorder text become spaces. */
export function tsvTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `${cells.map((cell) => withoutControls(cell, " ")).join("\t")}\n`;
  return line(columns.map((column) => column.header)) + rows.map(line).join("");
}

/** Terminal cells in a line of stdout. */
export function lineWidth(io: Io): number {
  return io.stdout.columns || FALLBACK_WIDTH;
}

function alignedTable(io: Io, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const head = layoutTable(columns, rows, lineWidth(io));
  const [header = "", ...body] = head;
  return `${[paint(io.stdout, "bold", header), ...body].join("\n")}\n`;
}

/** Lines of an aligned table, header first, trailing blanks removed. `width` is in terminal cells. */
export function layoutTable(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  const cells = columns.map((column, index) => {
    const values = rows.map((row) => withoutControls(row[index] ?? "", " "));
    return column.align === "decimal" ? alignDecimals(values) : values;
  });
  const widths = columns.map((column, index) =>
    Math.max(stringWidth(column.header), ...(cells[index] ?? []).map((cell) => stringWidth(cell)), 0),
  );
  shrinkWidest(columns, widths, width);
  const line = (texts: readonly string[]): string =>
    columns
      .map((column, index) => {
        const room = widths[index] ?? 0;
        const text = shorten(texts[index] ?? "", room);
        const pad = " ".repeat(Math.max(0, room - stringWidth(text)));
        return column.align === "right" || column.align === "decimal" ? pad + text : text + pad;
      })
      .join(GAP)
      .trimEnd();
  return [
    line(columns.map((column) => column.header)),
    ...rows.map((_, row) => line(cells.map((values) => values[row] ?? ""))),
  ];
}

/** Pads numbers on the right so that their decimal points stand below each other. */
function alignDecimals(values: readonly string[]): string[] {
  const tail = (value: string): number => {
    const match = /^[^\d]*\d[\d,]*(.*)$/.exec(value);
    return stringWidth(match?.[1] ?? "");
  };
  const longest = Math.max(0, ...values.map(tail));
  return values.map((value) => (/\d/.test(value) ? value + " ".repeat(longest - tail(value)) : value));
}

function shrinkWidest(columns: readonly Column[], widths: number[], available: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1) - available;
  while (excess > 0) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      if (column.shrink && (widths[index] ?? 0) > (widths[widest] ?? NARROWEST)) widest = index;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
}

function shorten(text: string, room: number): string {
  if (stringWidth(text) <= room) return text;
  let kept = "";
  for (const character of text) {
    if (stringWidth(kept) + stringWidth(character) > room - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
