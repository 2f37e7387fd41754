/** Calls as lines, newest last, the way `modelrig logs` prints them. */
import type { QueryAnswer } from "../../query/answer.ts";
import type { Io } from "../command.ts";
import { printJson } from "../output/json.ts";
import { type Column, layoutTable, lineWidth, tsvTable } from "../output/table.ts";
import { shownUsd } from "./shown-usd.ts";

/** Columns of a query for `callLines`, in this order. */
export const CALL_COLUMNS = [
  ...["ts", "id", "lane", "route", "served_variant", "provider", "model", "failure_class", "status", "attempts"],
  ...["latency_ms", "first_byte_ms", "tokens", "cost", "estimated"],
] as const;

type Value = QueryAnswer["rows"][number][number];
export type CallRow = Readonly<Record<string, Value>>;

/** Rows of a query for `CALL_COLUMNS`, oldest first. */
export function callRows({ columns, rows }: QueryAnswer): readonly CallRow[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null]))).reverse();
}

/** `roomy` columns are left out of narrow terminals. */
const HEADS: readonly (Column & { readonly roomy?: boolean })[] = [
  { header: "time" },
  { header: "call", shrink: true },
  { header: "served by", shrink: true },
  { header: "outcome" },
  { header: "tries", align: "right", roomy: true },
  { header: "ms", align: "right" },
  { header: "tokens", align: "right", roomy: true },
  { header: "cost", align: "right" },
  { header: "id" },
];
/** Lines that later ones are aligned with. */
const REMEMBERED = 100;
const ROOMY_WIDTH = 120;

type CallForm = "json" | "text";

/** Prints calls as they come: aligned with the lines before on a terminal, exact and tab-separated elsewhere. */
export class CallLines {
  readonly #io: Io;
  readonly #form: CallForm;
  #headed = false;
  #recent: string[][] = [];

  constructor(io: Io, form: CallForm) {
    this.#io = io;
    this.#form = form;
  }

  print(rows: readonly CallRow[]): void {
    if (this.#form === "json") for (const row of rows) printJson(this.#io, row);
    else if (this.#io.stdout.isTTY === true) this.#align(rows);
    else this.#tabulate(rows);
  }

  #align(rows: readonly CallRow[]): void {
    const width = lineWidth(this.#io);
    const fits = HEADS.map(({ roomy }) => !roomy || width >= ROOMY_WIDTH);
    const fresh = rows.map(cells);
    this.#recent = [...this.#recent, ...fresh].slice(-Math.max(REMEMBERED, fresh.length));
    const [head = "", ...lines] = layoutTable(
      HEADS.filter((_, at) => fits[at]),
      this.#recent.map((row) => row.filter((_, at) => fits[at])),
      width,
    );
    const shown = this.#headed ? [] : [head];
    this.#headed = true;
    this.#io.stdout.write([...shown, ...lines.slice(lines.length - fresh.length)].map((line) => `${line}\n`).join(""));
  }

  #tabulate(rows: readonly CallRow[]): void {
    const heads = CALL_COLUMNS.map((header) => ({ header }));
    const text = tsvTable(
      heads,
      rows.map((row) => CALL_COLUMNS.map((name) => (row[name] === null ? "" : String(row[name])))),
    );
    this.#io.stdout.write(this.#headed ? text.slice(text.indexOf("\n") + 1) : text);
    this.#headed = true;
  }
}

function cells(row: CallRow): string[] {
  const text = (name: string): string => (row[name] === null ? "" : String(row[name]));
  const called = text("route") === "" ? text("lane") : text("route");
  const variant = ["", "default"].includes(text("served_variant")) ? "" : `@${text("served_variant")}`;
  return [
    text("ts").replace("T", " ").replace(/\.\d+/, ""),
    `${called}${variant}`,
    row["provider"] === null ? "–" : `${text("provider")}/${text("model")}`,
    text("failure_class") || "ok",
    text("attempts"),
    text("latency_ms"),
    text("tokens") || "–",
    shownUsd(row["cost"] == null ? null : String(row["cost"]), row["estimated"] === true),
    text("id"),
  ];
}
