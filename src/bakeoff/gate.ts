/**
 * The cost-first gate, over figures only, so that whoever holds a report can decide it again:
 * a challenger clears it when its conformance is not below the incumbent's (lower bounds of Wilson 95% on the same
 * inputs) and its effective cost is strictly lower. Nothing partial, unpriced or unmeasured clears.
 */
import { LEAST_CONFORMANT, LEAST_SAMPLES } from "../stats/cost.ts";
import { percent } from "./percent.ts";
import type { ArmReport, ArmVerdict, BakeoffReport, GateClause, GateReport, PairReport } from "./report.ts";

/** Below this many pairs no comparison is reported, and so none is proposed. */
export const MIN_PAIRS = 10;

/** What the route says that decides whether this gate may decide. */
export type RouteTerms = Pick<BakeoffReport, "schema_declared" | "objective">;

export function costFirstGate(arms: readonly ArmReport[], pairs: readonly PairReport[], route: RouteTerms): GateReport {
  const incumbent = arms.find(({ role }) => role === "incumbent");
  if (!incumbent) throw new RangeError("a bake-off has an incumbent");
  const verdicts = arms
    .filter(({ role }) => role === "challenger")
    .map((challenger) =>
      verdictOf(
        challenger,
        incumbent,
        pairs.find(({ arm }) => arm === challenger.arm),
        route,
      ),
    );
  const cost = (arm: string): number => arms.find((one) => one.arm === arm)?.effective?.usd_per_1k ?? Number.NaN;
  const cleared = verdicts.filter(({ clears }) => clears).sort((a, b) => cost(a.arm) - cost(b.arm));
  const proposes = cleared[0]?.arm;
  return { kind: "cost-first", verdicts, proposes, reason: reasonOf(arms, verdicts, proposes) };
}

function verdictOf(
  challenger: ArmReport,
  incumbent: ArmReport,
  pair: PairReport | undefined,
  route: RouteTerms,
): ArmVerdict {
  const clauses = [
    objectiveClause(route.objective),
    completeClause(challenger, incumbent),
    schemaClause(route.schema_declared),
    pairsClause(pair),
    pricedClause(challenger, incumbent),
    conformanceClause(challenger, incumbent),
    effectiveCostClause(challenger, incumbent),
  ];
  const clears = clauses.every(({ met }) => met);
  const saving = clears ? savingOf(challenger, incumbent, pair) : undefined;
  return { arm: challenger.arm, clears, clauses, cost_separated: saving !== undefined, saving };
}

function completeClause(challenger: ArmReport, incumbent: ArmReport): GateClause {
  const unfinished = [challenger, incumbent].find(({ complete }) => !complete);
  const reason = unfinished
    ? `${unfinished.arm} is partial (${unfinished.stopped ?? "stopped"}); a partial result cannot propose`
    : "both arms were sent every input";
  return { clause: "complete", met: !unfinished, reason };
}

/** Another objective is not judged by this gate's terms: better no proposal than one the route did not ask for. */
function objectiveClause({ mode, quality_gate: qualityGate }: RouteTerms["objective"]): GateClause {
  if (mode !== "cost-first") {
    const reason = `the route's objective is ${mode}, and regret is not measured in this version`;
    return { clause: "objective", met: false, reason };
  }
  const reason = qualityGate
    ? "the route declares a quality gate, and quality is not measured in this version"
    : "the route is judged cost-first";
  return { clause: "objective", met: !qualityGate, reason };
}

function schemaClause(schemaDeclared: boolean): GateClause {
  const reason = schemaDeclared
    ? "outputs are held against the route's schema"
    : "the route declares no output schema, so conformance is not measured";
  return { clause: "schema", met: schemaDeclared, reason };
}

function pairsClause(pair: PairReport | undefined): GateClause {
  const n = pair?.n_paired ?? 0;
  const reason = `${n} paired inputs, ${MIN_PAIRS} needed`;
  return { clause: "pairs", met: n >= MIN_PAIRS, challenger: n, reason };
}

function pricedClause(challenger: ArmReport, incumbent: ArmReport): GateClause {
  const unpriced = [challenger, incumbent].filter((arm) => arm.cost_unknown > 0 || arm.stopped === "unpriced");
  const reason =
    unpriced.length === 0
      ? "every call of both arms has a known cost"
      : unpriced
          .map(({ arm, cost_unknown: n }) => `${arm}: ${n > 0 ? `cost of ${n} calls unknown` : "no price"}`)
          .join("; ");
  return { clause: "priced", met: unpriced.length === 0, reason };
}

function conformanceClause(challenger: ArmReport, incumbent: ArmReport): GateClause {
  const mine = challenger.conformance?.low;
  const theirs = incumbent.conformance?.low;
  if (mine === undefined || theirs === undefined) {
    return { clause: "conformance", met: false, challenger: mine, incumbent: theirs, reason: "not measured" };
  }
  const met = mine >= theirs;
  const reason = `lower bound ${percent(mine)}% ${met ? "is not below" : "is below"} the incumbent's ${percent(theirs)}%`;
  return { clause: "conformance", met, challenger: mine, incumbent: theirs, reason };
}

function effectiveCostClause(challenger: ArmReport, incumbent: ArmReport): GateClause {
  const mine = challenger.effective?.usd_per_1k;
  const theirs = incumbent.effective?.usd_per_1k;
  if (mine === undefined || theirs === undefined) {
    const reason = [challenger, incumbent]
      .filter(({ effective }) => effective === undefined)
      .map(({ arm, effective_note: note }) => `${arm}: ${note ?? "no effective cost"}`)
      .join("; ");
    return { clause: "effective_cost", met: false, challenger: mine, incumbent: theirs, reason };
  }
  const met = mine < theirs;
  const reason = `$${mine.toPrecision(3)} per 1K conformant ${met ? "is below" : "is not below"} the incumbent's $${theirs.toPrecision(3)}`;
  return { clause: "effective_cost", met, challenger: mine, incumbent: theirs, reason };
}

function savingOf(challenger: ArmReport, incumbent: ArmReport, pair: PairReport | undefined): ArmVerdict["saving"] {
  const ratio = pair?.cost_ratio;
  if (!pair || ratio?.low === undefined || ratio.high === undefined || ratio.high >= 1) return undefined;
  const enough =
    pair.n_paired >= LEAST_SAMPLES && Math.min(challenger.conformant, incumbent.conformant) >= LEAST_CONFORMANT;
  return enough ? { fraction: 1 - ratio.ratio, low: 1 - ratio.high, high: 1 - ratio.low } : undefined;
}

function reasonOf(arms: readonly ArmReport[], verdicts: readonly ArmVerdict[], proposes: string | undefined): string {
  if (proposes !== undefined) return `${proposes} clears`;
  if (verdicts.length === 0) return "there is no challenger to compare";
  if (arms.some(({ complete }) => !complete)) return "the result is partial, and a partial result cannot propose";
  return "no arm clears";
}
