import type { ArmReport, PairReport } from "../../../src/bakeoff/analysis/arm-report.ts";
import type { RegretReport } from "../../../src/bakeoff/analysis/regret-report.ts";
import type { PairedInput } from "../../../src/bakeoff/analysis/scores.ts";
import { type CountedRegret, decideRegrets } from "../../../src/bakeoff/evidence/decide-regrets.ts";
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";
import type { GateFigures } from "../../../src/bakeoff/gate/contest.ts";
import { nanoToUsdText, usdToNano } from "../../../src/money/nano-usd.ts";
import type { ProposalEvidence } from "../../../src/proposal/evidence.ts";

/** An arm that was sent 100 inputs, 98 conformant, at $1.00 per 1K; unless told otherwise. Its spend fits its cost. */
export function armFigures(arm: string, more: Partial<ArmReport> = {}): ArmReport {
  const { conformant = 98, effective = { usd_per_1k: 1, low: 0.9, high: 1.1 } } = more;
  return {
    arm,
    role: "challenger",
    candidates: [`sim/${arm}`],
    complete: true,
    sent: 100,
    graded: 100,
    conformant,
    conformance: { rate: 0.98, low: 0.93, high: 0.9945 },
    repair: { count: 0, rate: 0, cost_usd: "0.000000000" },
    rungs: { native_strict: 100 },
    spend_usd: nanoToUsdText(usdToNano((effective.usd_per_1k * conformant) / 1000)),
    cost_unknown: 0,
    cost_estimated: 0,
    effective,
    failures: {},
    ...more,
  };
}

export function pairFigures(arm: string, more: Partial<PairReport> = {}): PairReport {
  return { arm, n_paired: 100, cost_ratio: { ratio: 0.2, low: 0.18, high: 0.22, level: 0.0076 }, ...more };
}

export const REFERENCE = "reference:sim/atlas-large";

/** Pairs of which so many are losses and wins; the rest are ties. */
export function pairsWith(n: number, losses: number, wins: number, more: Partial<PairedInput> = {}): PairedInput[] {
  return Array.from({ length: n }, (_, index) => ({
    input: `in_${index}`,
    question: `in_${index}`,
    d: index < losses ? 1 : index < losses + wins ? -1 : 0,
    ...more,
  }));
}

export interface RegretFigures {
  readonly arm: string;
  readonly against?: string;
  readonly pairs: readonly PairedInput[];
  /** Pairs of earlier looks, oldest first; questions of the same name are the same question. */
  readonly before?: readonly (readonly PairedInput[])[];
  /** Inputs of the bake-off; as many as there are pairs unless told. */
  readonly inputs?: number;
  readonly metric?: RegretReport["metric"];
  readonly limit?: number | undefined;
}

export interface RegretSetting {
  /** Arms that may be proposed; all but `default` and the reference unless told. */
  readonly challengers?: readonly string[];
}

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 29);

/** A digest as a look holds them, of a name. */
export function digestOf(name: string): string {
  return Buffer.from(name).toString("base64url").slice(0, 60).padEnd(16, "_");
}

export function keyOf(arm: string, against: string, metric = "conformance") {
  return { arm: digestOf(arm), against: digestOf(against), grading: digestOf(metric) };
}

/** Regrets with the bounds that all looks at them give. */
export function regretFigures(regrets: readonly RegretFigures[], setting: RegretSetting = {}): RegretReport[] {
  const looks = Math.max(1, ...regrets.map(({ before = [] }) => before.length + 1));
  const counted = regrets.map(countedFigures);
  const pairsAt = ({ pairs, before = [] }: RegretFigures, look: number) =>
    look === looks - 1 ? pairs : before[look - (looks - 1 - before.length)];
  const records = Array.from({ length: looks }, (_, look) =>
    lookFigures(
      { route: "acme.triage", bakeoff: `bo_${look + 1}`, at: NOW - (looks - 1 - look) * DAY_MS },
      regrets.flatMap((one) => {
        const pairs = pairsAt(one, look);
        return pairs === undefined || pairs.length === 0 ? [] : [{ ...one, pairs }];
      }),
      setting,
    ),
  );
  return decideRegrets(counted, records);
}

export function countedFigures(one: RegretFigures): CountedRegret {
  const { arm, against = REFERENCE, pairs, inputs = pairs.length, metric = "conformance", limit } = one;
  return {
    ...{ arm, against, metric, key: keyOf(arm, against, metric), limit },
    n_paired: pairs.length,
    missing: inputs - pairs.length,
    losses: pairs.filter(({ d }) => d > 0).length,
    wins: pairs.filter(({ d }) => d < 0).length,
  };
}

export function lookFigures(
  facts: Pick<LookRecord, "route" | "bakeoff" | "at">,
  regrets: readonly RegretFigures[],
  { challengers }: RegretSetting = {},
): LookRecord {
  const known = new Map<string, PairedInput>();
  for (const pair of regrets.flatMap(({ pairs }) => pairs))
    if (!known.has(pair.question)) known.set(pair.question, pair);
  const questions = [...known.keys()];
  const clusters = [...new Set([...known.values()].flatMap(({ cluster }) => cluster ?? []))];
  const isChallenger = (arm: string): boolean => challengers?.includes(arm) ?? (arm !== "default" && arm !== REFERENCE);
  return {
    version: 1,
    ...facts,
    questions: questions.map(digestOf),
    weights: questions.map((question) => known.get(question)?.weight ?? 1),
    members: questions.map((question) => clusters.indexOf(known.get(question)?.cluster ?? "")),
    clusters: clusters.map(digestOf),
    comparisons: regrets.map(({ arm, against = REFERENCE, pairs, metric = "conformance" }) => {
      const byQuestion = new Map(pairs.map(({ question, d }) => [question, d]));
      const differences = questions.map((question) => byQuestion.get(question) ?? null);
      return { ...keyOf(arm, against, metric), challenger: isChallenger(arm), differences };
    }),
  };
}

/** Two arms on a route that is judged cost-first: `cheap` at a fifth of the cost. */
export function gateFigures(more: Partial<GateFigures> = {}): GateFigures {
  return {
    arms: [
      armFigures("default", { role: "incumbent", effective: { usd_per_1k: 5, low: 4.5, high: 5.5 } }),
      armFigures("cheap"),
    ],
    pairs: [pairFigures("cheap")],
    regrets: regretFigures([{ arm: "cheap", against: "default", pairs: pairsWith(400, 0, 0), limit: 0.05 }]),
    objective: { mode: "cost-first", max_conformance_drop: 0.05 },
    schema_declared: true,
    metric: "conformance",
    sampling: { representative: true, text: "the newest 400 captures" },
    evidence_store: { kept: true },
    ...more,
  };
}

export function evidenceFigures(more: Partial<ProposalEvidence> = {}): ProposalEvidence {
  return {
    bakeoff: "bo_1",
    measured_at: "2026-11-29T12:00:00.000Z",
    route_hash: "a".repeat(64),
    metric: "conformance",
    simulated: false,
    objective: { mode: "cost-first", max_conformance_drop: 0.05 },
    schema_declared: true,
    answers: { evidence: "checked", accepted: false, reason: "answers were judged by value checks" },
    served: { incumbent: digestOf("default"), challenger: digestOf("cheap") },
    variant: "cheap",
    incumbent: armFigures("default", { role: "incumbent", effective: { usd_per_1k: 5, low: 4.5, high: 5.5 } }),
    challenger: armFigures("cheap"),
    pair: pairFigures("cheap"),
    verdict: {
      arm: "cheap",
      clears: true,
      clauses: [{ clause: "conformance", met: true, challenger: 0.93, incumbent: 0.93, reason: "not below" }],
      cost_separated: true,
      saving: { fraction: 0.8, low: 0.78, high: 0.82 },
    },
    swap_direction: "down",
    cost_delta_usd_per_1k: -4,
    ...more,
  };
}
