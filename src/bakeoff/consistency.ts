import { wilson } from "../stats/wilson.ts";
import { costFirstGate } from "./gate.ts";
import type { BakeoffReport, GateReport } from "./report.ts";

/**
 * Whether a report's conclusions follow from its own counts: intervals, the partial mark and the gate are worked out
 * again. Answers what does not fit, or `undefined`. A proposal must not rest on a verdict that its figures contradict.
 */
export function inconsistency(report: BakeoffReport): string | undefined {
  const names = report.arms.map(({ arm }) => arm);
  if (new Set(names).size !== names.length) return "two arms have the same name";
  const incumbents = report.arms.filter(({ role }) => role === "incumbent");
  if (incumbents.length !== 1 || incumbents[0]?.arm !== report.incumbent) return "there is not one incumbent";
  if (report.partial !== report.arms.some(({ complete }) => !complete)) return "partial does not follow from the arms";
  for (const { arm, sent, graded, conformant, conformance, complete, stopped } of report.arms) {
    if (conformant > graded || graded > sent || sent > report.inputs.used)
      return `the counts of ${arm} contradict each other`;
    if (complete !== (stopped === undefined)) return `${arm} is complete and stopped`;
    if (complete && sent !== report.inputs.used) return `${arm} is complete without every input`;
    const expected = report.schema_declared ? wilson(conformant, sent) : undefined;
    if ((expected === undefined) !== (conformance === undefined)) return `the conformance of ${arm} does not fit`;
    if (expected && conformance && (!near(expected.low, conformance.low) || !near(expected.high, conformance.high))) {
      return `the interval of ${arm} does not follow from its counts`;
    }
  }
  if (gateOf(report).proposes !== report.gate.proposes) return "the gate's result does not follow from the figures";
  return undefined;
}

/** The gate of a report, worked out from its figures. */
export function gateOf(report: BakeoffReport): GateReport {
  return costFirstGate(report.arms, report.pairs, report);
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) < 1e-9;
}
