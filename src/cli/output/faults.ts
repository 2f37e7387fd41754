/** Faults of route bundles and the configuration, with the lines they are about. */
import type { Fault } from "../../route/fault.ts";
import type { Io } from "../command.ts";
import { paint } from "./style.ts";

const LINES_BEFORE = 2;
const WIDEST_LINE = 160;

/** Writes to stderr in the given order: the most important fault stands last, next to the prompt. */
export function printFaults(io: Io, faults: readonly Fault[], texts: ReadonlyMap<string, string>): void {
  for (const fault of faults) {
    const colour = fault.severity === "error" ? "red" : "yellow";
    const place = `${fault.file}:${fault.line}:${fault.column}`;
    io.stderr.write(
      `${paint(io.stderr, colour, `${fault.severity}[${fault.code}]`)} ${paint(io.stderr, "bold", place)}`,
    );
    io.stderr.write(`${fault.path === "" ? "" : `  ${fault.path}`}\n  ${plain(fault.message)}\n`);
    const frame = codeFrame(texts.get(fault.file) ?? "", fault);
    if (frame.length > 0) io.stderr.write(`${frame.join("\n")}\n`);
    io.stderr.write("\n");
  }
}

/** The line at fault with up to two before it, and a mark under the part meant. */
export function codeFrame(text: string, fault: Pick<Fault, "line" | "column" | "length">): string[] {
  const lines = text.split(/\r?\n/);
  if (lines[fault.line - 1] === undefined || text === "") return [];
  const first = Math.max(1, fault.line - LINES_BEFORE);
  const width = String(fault.line).length;
  const shown = lines.slice(first - 1, fault.line).map((line, index) => {
    const number = first + index;
    const mark = number === fault.line ? ">" : " ";
    return `${mark} ${String(number).padStart(width)} | ${plain(line).slice(0, WIDEST_LINE)}`;
  });
  const room = Math.max(1, WIDEST_LINE - fault.column + 1);
  const underline = "^".repeat(Math.min(fault.length, room));
  const mark = `  ${" ".repeat(width)} | ${" ".repeat(Math.min(fault.column - 1, WIDEST_LINE))}${underline}`;
  return [...shown, mark];
}

/**
 * Files hold anything; a terminal must not obey it, and a log must not keep a URL's password. The length stays: a tab
 * counts as one column, as it does in the position.
 */
function plain(raw: string): string {
  const text = raw.replace(/(:\/\/[^/\s:@]*:)([^/\s@]+)(?=@)/g, (_, before: string, secret: string) => {
    return `${before}${"*".repeat(secret.length)}`;
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed -- see above
  return text.replace(/\t/g, " ").replace(/[\u0000-\u001f\u007f-\u009f]/g, "");
}
