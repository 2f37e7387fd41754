import { wilson, wilsonRate } from "../../stats/wilson.ts";
import type { ArmReport } from "../analysis/arm-report.ts";
import type { RegretReport } from "../analysis/regret-report.ts";
import { costLevel } from "../evidence/cost-level.ts";
import { decideRegrets, MIN_PAIRS } from "../evidence/decide-regrets.ts";
import { type LookRecord, pairsOf } from "../evidence/look-record.ts";
import { decideGate } from "../gate/decide-gate.ts";
import type { GateReport } from "../gate/gate-report.ts";
import { examinationFault, ownFlips } from "../judge/examination.ts";
import type { BakeoffReport } from "./bakeoff-report.ts";

/**
 * Whether a report's conclusions follow from its counts and from the looks at its route that are held here, up to and
 * including its own, oldest first: intervals, rates, regrets with their bounds, the partial mark and the gate are worked
 * out again. Answers what does not fit, or `undefined`. A proposal must not rest on a verdict that its figures contradict.
 */
export function inconsistency(report: BakeoffReport, looks: readonly LookRecord[]): string | undefined {
  return (
    rolesFault(report) ??
    judgeFault(report) ??
    first(report.arms, (arm) => armFault(arm, report)) ??
    first(report.pairs, (pair) => ratioFault(pair, report)) ??
    first(report.regrets, (regret) => regretFault(regret, report)) ??
    evidenceFault(report, looks) ??
    (gateOf(report).proposes === report.gate.proposes
      ? undefined
      : "the gate's result does not follow from the figures")
  );
}

/** The gate of a report, worked out from its figures. */
export function gateOf(report: BakeoffReport): GateReport {
  return decideGate(report);
}

function rolesFault({ arms, incumbent, reference, partial, pairs, regrets }: BakeoffReport): string | undefined {
  const names = arms.map(({ arm }) => arm);
  if (new Set(names).size !== names.length) return "two arms have the same name";
  const named = (role: ArmReport["role"]): string[] => arms.filter((arm) => arm.role === role).map(({ arm }) => arm);
  if (named("incumbent").length !== 1 || named("incumbent")[0] !== incumbent) return "there is not one incumbent";
  if (named("reference").length > 1 || named("reference")[0] !== reference?.arm)
    return "the reference is not the arm that is named so";
  if (partial !== arms.some(({ complete }) => !complete)) return "partial does not follow from the arms";
  if (pairs.some(({ arm }) => !names.includes(arm) || arm === incumbent)) return "a pair names no other arm";
  if (regrets.some(({ arm, against }) => arm === against || !names.includes(arm) || !names.includes(against)))
    return "a regret names no two arms";
  const compared = regrets.map(({ arm, against, metric }) => JSON.stringify([arm, against, metric]));
  return new Set(compared).size === compared.length ? undefined : "a regret is told twice";
}

/** A judge that was not examined, or whose counts say that it failed, must be told as unusable. */
function judgeFault({ metric, judge }: BakeoffReport): string | undefined {
  if (metric !== "judge" || judge?.unusable_because !== undefined) return undefined;
  if (!judge) return "the judge that the report measures by is missing";
  const { examination, pairs, tied, flipped, both_orders: both } = judge;
  if (flipped > both || both > pairs || tied > pairs) return "the counts of the judge contradict each other";
  if (!examination) return pairs === 0 ? undefined : "the judge was not examined";
  return examinationFault(examination) ?? ownFlips(flipped, both);
}

function armFault(arm: ArmReport, { inputs, schema_declared: schema, metric, objective }: BakeoffReport) {
  const { arm: name, sent, graded, conformant, complete, stopped, quality, passing } = arm;
  if (conformant > graded || graded > sent || sent > inputs.used) return `the counts of ${name} contradict each other`;
  if (arm.cost_unknown > sent || arm.cost_estimated > sent) return `the costs of ${name} exceed its calls`;
  if (complete !== (stopped === undefined)) return `${name} is complete and stopped`;
  if (complete && sent !== inputs.used) return `${name} is complete without every input`;
  if (!sameRate(schema ? conformant : undefined, sent, arm.conformance))
    return `the interval of ${name} does not follow from its counts`;
  if (quality && (quality.metric !== metric || quality.n > sent || quality.n === 0))
    return `the quality of ${name} is not what the report measures`;
  if (quality && !sameInterval(wilsonRate(quality.mean, quality.n), quality))
    return `the quality interval of ${name} does not follow from its mean`;
  if (passing?.min_score !== (passing && objective.quality_gate?.min_score))
    return `the quality gate of ${name} is not the route's`;
  if (passing && (passing.count > sent || !sameRate(passing.count, sent, passing)))
    return `the passing outputs of ${name} do not follow from their counts`;
  if (arm.judged && (metric !== "judge" || arm.judged.passed > arm.judged.of || arm.judged.of !== quality?.n))
    return `the judged outputs of ${name} do not follow from its quality`;
  return costFault(arm, schema);
}

function costFault(arm: ArmReport, schemaDeclared: boolean): string | undefined {
  const { spend_usd: billed, priced_usd: priced = billed, uncached_usd: uncached = priced } = arm;
  const { arm: name, conformant, passing, cost_unknown: unknown } = arm;
  const fits = (cost: ArmReport["effective"], outputs: number, spend = priced): boolean => {
    if (!cost) return true;
    const brackets =
      (cost.low ?? cost.usd_per_1k) <= cost.usd_per_1k && cost.usd_per_1k <= (cost.high ?? cost.usd_per_1k);
    return unknown === 0 && outputs > 0 && brackets && near(cost.usd_per_1k, (Number(spend) * 1000) / outputs);
  };
  const formed = (schemaDeclared || !arm.effective) && fits(arm.effective, conformant);
  const others = fits(arm.effective_passing, passing?.count ?? 0) && fits(arm.effective_uncached, conformant, uncached);
  return formed && others ? undefined : `the effective cost of ${name} does not follow from its spend`;
}

/** Where every sample of both arms is paired, the ratio is that of their effective costs. */
function ratioFault(pair: BakeoffReport["pairs"][number], { arms, incumbent }: BakeoffReport): string | undefined {
  const mine = arms.find(({ arm }) => arm === pair.arm);
  const theirs = arms.find(({ arm }) => arm === incumbent);
  if (!mine || !theirs) return `${pair.arm} is no arm`;
  if (pair.n_paired > Math.min(mine.sent, theirs.sent)) return `${pair.arm} is paired on more than was sent`;
  const whole = mine.complete && theirs.complete && pair.n_paired === mine.sent && pair.n_paired === theirs.sent;
  for (const [ratio, cost, base] of [
    [pair.cost_ratio, mine.effective, theirs.effective],
    [pair.cost_ratio_beside, mine.effective, theirs.effective],
    [pair.cost_ratio_passing, mine.effective_passing, theirs.effective_passing],
  ] as const) {
    if (!ratio) continue;
    const { low = ratio.ratio, high = ratio.ratio } = ratio;
    const follows =
      !whole || ratio.caches === "uncached" || (cost && base && near(ratio.ratio * base.usd_per_1k, cost.usd_per_1k));
    if (!follows || low > ratio.ratio || ratio.ratio > high || pair.n_paired < MIN_PAIRS)
      return `the cost ratio of ${pair.arm} does not follow from the costs`;
  }
  return undefined;
}

function regretFault(regret: RegretReport, { inputs, arms }: BakeoffReport): string | undefined {
  const { arm, n_paired: n, missing, losses, wins } = regret;
  const role = arms.find((one) => one.arm === arm)?.role;
  const follows = n + missing === inputs.used && losses + wins <= n && role !== undefined;
  return follows ? undefined : `the regret of ${arm} does not follow from its counts`;
}

/** What the looks that are held here say, against what the report says of them. */
function evidenceFault(report: BakeoffReport, looks: readonly LookRecord[]): string | undefined {
  // Such a report proposes nothing, which the gate's own clauses see to.
  if (!report.evidence_store.kept || !report.sampling.representative) return undefined;
  const own = looks.at(-1);
  if (own?.bakeoff !== report.id || own.route !== report.route) return "no look of this bake-off is held here";
  const uncounted = report.regrets.find((regret) => !isCounted(regret, own));
  if (uncounted) return `the pairs of ${uncounted.arm} are not those of the look that is held here`;
  const again = decideRegrets(
    report.regrets.map(({ evidence: _, estimate: __, ...counted }) => counted),
    looks,
  );
  const wrong = report.regrets.find((regret, index) => !same(regret, again[index]));
  if (wrong) return `the bounds of ${wrong.arm} do not follow from the evidence that is held here`;
  const wider = report.pairs.find((pair) => !isAtLevel(pair, again));
  return wider && `the cost ratio of ${wider.arm} is not at the level that its evidence leaves`;
}

function isAtLevel(
  { arm, cost_ratio: ratio, cost_ratio_passing: passing }: BakeoffReport["pairs"][number],
  regrets: readonly RegretReport[],
): boolean {
  return [ratio, passing].every((one) => one === undefined || near(one.level, costLevel(arm, regrets)));
}

/** Repeats of a question are pairs of their own. */
function isCounted({ key, n_paired: n, losses, wins }: RegretReport, look: LookRecord): boolean {
  const differences = pairsOf(look, key)?.flatMap((pair) => pair.differences) ?? [];
  return (
    differences.length === n &&
    differences.filter((d) => d > 0).length === losses &&
    differences.filter((d) => d < 0).length === wins
  );
}

/** A rate of n and its interval; none where nothing is counted, or nothing was sent. */
function sameRate(k: number | undefined, n: number, found: (Range & { readonly rate: number }) | undefined): boolean {
  const expected = k === undefined ? undefined : wilson(k, n);
  if (expected && found && !near(found.rate, (k ?? 0) / n)) return false;
  return sameInterval(expected, found);
}

type Range = { readonly low: number; readonly high: number };

function sameInterval(expected: Range | undefined, found: Range | undefined): boolean {
  if (!expected || !found) return !expected && !found;
  return near(expected.low, found.low) && near(expected.high, found.high);
}

/** Equal JSON, numbers to within floating point. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") return near(a, b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [mine, theirs] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return [...new Set([...mine.keys(), ...theirs.keys()])].every((key) => same(mine.get(key), theirs.get(key)));
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

function first<T>(items: readonly T[], faultOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
