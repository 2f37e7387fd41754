import type { ExitCode, Io } from "../command.ts";
import { paint } from "../output/style.ts";
import type { Finding, FindingStatus } from "./finding.ts";

const MARKS: Readonly<Record<FindingStatus, readonly [string, "green" | "yellow" | "red" | "dim"]>> = {
  ok: ["✓", "green"],
  warn: ["!", "yellow"],
  fail: ["✗", "red"],
  skip: ["-", "dim"],
};

/** One line each, the fix below, and the count last. */
export function printFindings(io: Io, findings: readonly Finding[], exit: ExitCode): void {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  for (const { status, subject, evidence, fix } of findings) {
    const [mark, colour] = MARKS[status];
    const text = status === "skip" ? `skipped: ${evidence}` : evidence;
    io.stdout.write(`${paint(io.stdout, colour, mark)} ${subject.padEnd(width)}  ${text}\n`);
    if (fix !== undefined) io.stdout.write(`  ${" ".repeat(width)}  ${paint(io.stdout, "bold", "fix:")} ${fix}\n`);
  }
  const { failed, warnings, skipped } = summaryOf(findings);
  const parts = [`${failed} failed`, `${warnings} ${warnings === 1 ? "warning" : "warnings"}`, `${skipped} skipped`];
  io.stdout.write(`\n${parts.join(", ")}; exit ${exit}\n`);
}

export function summaryOf(findings: readonly Finding[]) {
  const count = (status: FindingStatus) => findings.filter((finding) => finding.status === status).length;
  return { ok: count("ok"), failed: count("fail"), warnings: count("warn"), skipped: count("skip") };
}
