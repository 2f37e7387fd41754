/** Answers of queries as tables. */
import { withoutControls } from "../../intake/fields.ts";
import { columnDecimals, formatUsd } from "../../money/format.ts";
import { type NanoUsd, usdToNano } from "../../money/nano-usd.ts";
import type { QueryAnswer } from "../../query/answer.ts";
import type { Io } from "../command.ts";
import { type Column, printTable, tsvTable } from "./table.ts";

type Value = QueryAnswer["rows"][number][number];
type AnswerColumn = QueryAnswer["columns"][number];

/** For a terminal rounded to what can be compared at a glance; for anything else exact, tab-separated. */
export function printAnswer(io: Io, { columns, rows }: QueryAnswer): void {
  if (io.stdout.isTTY !== true) {
    const heads = columns.map(({ name }) => ({ header: name }));
    io.stdout.write(
      tsvTable(
        heads,
        rows.map((row) => row.map(exact)),
      ),
    );
    return;
  }
  const shown = columns.map((column, index) =>
    cellsOf(
      column,
      rows.map((row) => row[index] ?? null),
    ),
  );
  printTable(
    io,
    columns.map(headed),
    rows.map((_, row) => shown.map((cells) => cells[row] ?? "")),
  );
}

/** RFC 4180, LF. A text that a spreadsheet would take for a formula is preceded by a quote mark. */
export function csvText({ columns, rows }: QueryAnswer): string {
  const head = columns.map(({ name }) => quoted(name)).join(",");
  const lines = rows.map((row) => row.map((value, index) => csvCell(value, columns[index])).join(","));
  return `${[head, ...lines].join("\n")}\n`;
}

function csvCell(value: Value, column: AnswerColumn | undefined): string {
  // Line breaks and tabs belong to a field; nothing else that a terminal obeys does.
  const text = exact(value).replace(/[^\t\r\n]+/g, (part) => withoutControls(part, " "));
  return quoted(column?.type === "text" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Nothing where a value is unknown. */
const exact = (value: Value): string => (value === null ? "" : String(value));

function headed({ name, type }: AnswerColumn): Column {
  if (type === "usd" || type === "number") return { header: name, align: "decimal" };
  if (type === "integer") return { header: name, align: "right" };
  return { header: name, shrink: type === "text" };
}

function cellsOf({ type }: AnswerColumn, values: readonly Value[]): readonly string[] {
  if (type === "usd") return moneyCells(values);
  return values.map((value) => {
    if (value === null) return "–";
    if (typeof value === "number") return numberText(value);
    return String(value);
  });
}

function numberText(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString("en", { maximumFractionDigits: 0 });
  return Math.abs(value) >= 1 ? value.toFixed(2) : value.toPrecision(4);
}

function moneyCells(values: readonly Value[]): readonly string[] {
  const amounts = values.map((value) => (value === null ? undefined : nanoOrText(String(value))));
  const decimals = columnDecimals(amounts.filter((amount): amount is NanoUsd => typeof amount === "number"));
  return amounts.map((amount) => {
    if (amount === undefined) return "–";
    return typeof amount === "string" ? `$${amount}` : formatUsd(amount, { decimals });
  });
}

/** The text itself where the amount is larger than an exact number. */
function nanoOrText(text: string): NanoUsd | string {
  try {
    return usdToNano(text);
  } catch (cause) {
    if (cause instanceof RangeError) return text;
    throw cause;
  }
}
