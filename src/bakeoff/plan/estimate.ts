/** What a bake-off will about cost, take and be able to show, before anything is spent. */
import { cost } from "../../money/cost.ts";
import { addUsd, type NanoUsd, nanoUsd } from "../../money/nano-usd.ts";
import type { PriceBook } from "../../money/price.ts";
import type { ProviderTable } from "../../provider/provider.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import type { Candidate } from "../../route/route.ts";
import { familyLevel } from "../../stats/alpha-spending.ts";
import { detectable, pairsNeeded } from "../../stats/power.ts";
import { replayCall } from "../execution/replay-call.ts";
import { type Examination, examinationFault, PLANTED_PER_KIND } from "../judge/examination.ts";
import type { JudgeChoice } from "../judge/judge-choice.ts";
import { ordersOf, PLANTED_KINDS } from "../judge/planted-pair.ts";
import type { Arm } from "./arm.ts";
import type { BakeoffPlan } from "./bakeoff-plan.ts";

/** Of English text and JSON; what an estimate needs, where a bound would take one. */
const BYTES_PER_TOKEN = 4;
/** Inputs whose size is looked at. */
const LOOKED_AT = 50;
/** Where nothing is known of answers. */
const ANSWER_TOKENS = 250;
/** A verdict, and the rubric with its schema. */
const VERDICT_TOKENS = 160;
const RUBRIC_TOKENS = 350;
/** What a model is told that rewords an answer. */
const REWORD_TOKENS = 120;
/** Assumed share of inputs on which two arms differ, where none was measured. */
export const ASSUMED_DISCORDANCE = 0.1;

export interface PastArm {
  readonly usdPerCall: number;
  readonly latencyMs?: number | undefined;
}

interface EstimateFacts {
  readonly providers: ProviderTable;
  readonly prices: PriceBook;
  /** Mean size of the recorded answers in bytes; absent = none was recorded. */
  readonly answerBytes?: number | undefined;
  /** What calls of an arm cost in an earlier bake-off of the same route. */
  readonly past: ReadonlyMap<string, PastArm>;
  /** Of the judge, where one still holds: then it is not examined again. */
  readonly examination?: Examination | undefined;
  readonly at: Date;
}

export interface Estimate {
  readonly calls: number;
  readonly arms: readonly ArmEstimate[];
  readonly judge?: JudgeEstimate | undefined;
  /** Of all that has a price; absent where nothing has. */
  readonly usd?: NanoUsd | undefined;
  /** Models that have no price: their calls are refused, or, where the route allows them, not counted here. */
  readonly unpriced: readonly string[];
  /** Every call goes to the simulation: nothing is spent. */
  readonly simulated: boolean;
  readonly ms?: number | undefined;
  /** Pairs an arm will be compared on. */
  readonly pairs: number;
  /** Smallest regret, as a fraction, that so many pairs can confirm for an arm as good as the reference. */
  readonly detectable: number;
  /** Pairs for the route's own `max_regret`. */
  readonly pairsForMaxRegret?: number | undefined;
}

interface JudgeEstimate {
  /** Of its examination too. */
  readonly calls: number;
  /** Part of `calls` that examines it: verdicts on planted pairs, and rewordings to make some of them. */
  readonly examination: number;
  /** The one that still holds, in place of another. */
  readonly standing?: Examination | undefined;
  readonly usd?: NanoUsd | undefined;
}

interface ArmEstimate {
  readonly arm: string;
  readonly usd?: NanoUsd | undefined;
  readonly basis: "earlier bake-off" | "price book";
}

export function estimateBakeoff(plan: BakeoffPlan, facts: EstimateFacts): Estimate {
  const left = plan.inputs.length * plan.arms.length - plan.done.filter(({ outcome }) => outcome !== "refused").length;
  const share = left / Math.max(1, plan.inputs.length * plan.arms.length);
  const looked = plan.inputs.slice(0, LOOKED_AT);
  const arms = plan.arms.map((arm) => armEstimate(arm, plan, looked, share, facts));
  const judge = judgeEstimate(plan, looked, facts);
  const known = [...arms.map(({ usd }) => usd), judge?.usd].filter((usd) => usd !== undefined);
  const candidates = plan.arms.flatMap(({ narrowed }) => narrowed.candidates);
  const maxRegret = plan.route.objective?.maxRegret;
  const pairs = Math.max(1, pairsOf(plan));
  const challengers = plan.arms.filter(({ role }) => role === "challenger").length;
  // What the first look of a route's first family decides at while no arm is through.
  const terms = { discordance: ASSUMED_DISCORDANCE, confidence: 1 - (2 * familyLevel(1)) / Math.max(1, challengers) };
  return {
    calls: left,
    arms,
    judge,
    usd: known.length === 0 ? undefined : addUsd(...known),
    unpriced: [...new Set(candidates.filter((one) => !priceOf(one, facts)).map(({ key }) => key))],
    simulated: candidates.every(({ provider }) => facts.providers.find(provider)?.simulated === true),
    ms: durationOf(plan, left, facts.past),
    pairs,
    detectable: detectable(pairs, terms),
    pairsForMaxRegret:
      maxRegret === undefined || !(maxRegret > 0 && maxRegret < 1)
        ? undefined
        : pairsNeeded({ epsilon: maxRegret, ...terms }),
  };
}

function armEstimate(
  arm: Arm,
  plan: BakeoffPlan,
  looked: readonly ReplayInput[],
  share: number,
  facts: EstimateFacts,
): ArmEstimate {
  const calls = plan.inputs.length * share;
  const past = facts.past.get(arm.name);
  if (past)
    return { arm: arm.name, usd: nanoUsd(Math.round(past.usdPerCall * calls * 1e9)), basis: "earlier bake-off" };
  const inputTokens = mean(looked.map((input) => requestTokens(input, arm, plan, facts)));
  const usd = tokensCost(arm.narrowed.candidates[0], inputTokens, answerTokens(facts), calls, facts);
  return { arm: arm.name, usd, basis: "price book" };
}

/** A capped judge sees fewer inputs than are sent; its pairs are spread over the arms it judges. */
function pairsOf({ inputs, metric, judge }: BakeoffPlan): number {
  if (metric !== "judge" || judge?.type !== "judge") return inputs.length;
  return Math.min(inputs.length, Math.floor(judge.maxPairs / judge.arms.length));
}

/** Both orders of every pair, and before them an examination where none holds. */
function judgeEstimate(plan: BakeoffPlan, looked: readonly ReplayInput[], facts: EstimateFacts): Estimate["judge"] {
  const judge: JudgeChoice | undefined = plan.metric === "judge" ? plan.judge : undefined;
  if (judge?.type !== "judge") return undefined;
  const { examination } = facts;
  const unusable = examination && examinationFault(examination) !== undefined;
  const pairs = unusable ? 0 : Math.min(judge.maxPairs, plan.inputs.length * judge.arms.length);
  const verdicts = Math.max(0, 2 * pairs - (plan.doneVerdicts?.length ?? 0));
  const planted = examination ? 0 : PLANTED_KINDS.reduce((sum, kind) => sum + PLANTED_PER_KIND * ordersOf(kind), 0);
  const asked = Math.max(0, planted - (plan.donePlanted?.length ?? 0));
  const rewordings = asked === 0 ? 0 : PLANTED_PER_KIND;
  const material = mean(looked.map(({ payload }) => JSON.stringify(payload).length / BYTES_PER_TOKEN));
  const inputTokens = RUBRIC_TOKENS + material + 2 * answerTokens(facts);
  const parts = [
    tokensCost(judge.candidate, inputTokens, VERDICT_TOKENS, verdicts + asked, facts),
    ...[judge.candidate, judge.other].map((model) =>
      tokensCost(model, REWORD_TOKENS + answerTokens(facts), answerTokens(facts), rewordings, facts),
    ),
  ];
  const known = parts.filter((usd) => usd !== undefined);
  const examining = asked + 2 * rewordings;
  const usd = known.length < parts.length ? undefined : addUsd(...known);
  return { calls: verdicts + examining, examination: examining, standing: examination, usd };
}

function requestTokens(input: ReplayInput, arm: Arm, { id, org }: BakeoffPlan, { providers }: EstimateFacts): number {
  const [candidate] = arm.narrowed.candidates;
  if (!candidate) return 0;
  const capabilities = {
    ...providers.find(candidate.provider)?.capabilities,
    ...providers.model(candidate.provider, candidate.model)?.capabilities,
  };
  const request = replayCall(input, arm, { id, org, claims: [] }).requestFor(candidate, capabilities);
  const schema = arm.narrowed.output ? JSON.stringify(arm.narrowed.output.schema).length : 0;
  const text = "class" in request ? JSON.stringify(input.payload) : JSON.stringify(request.messages);
  return (text.length + schema) / BYTES_PER_TOKEN;
}

function tokensCost(
  candidate: Candidate | undefined,
  inputTokens: number,
  outputTokens: number,
  calls: number,
  facts: EstimateFacts,
): NanoUsd | undefined {
  const price = candidate && priceOf(candidate, facts);
  if (!price) return undefined;
  const usage = {
    input: { total: Math.ceil(inputTokens) },
    output: { total: Math.ceil(outputTokens) },
    estimated: true,
    raw: undefined,
  };
  const each = cost(price, usage, "standard")?.total;
  return each === undefined ? undefined : nanoUsd(Math.round(each * calls));
}

function priceOf({ provider, model }: Candidate, { prices, at }: EstimateFacts) {
  return prices.find(provider, model, at);
}

function answerTokens({ answerBytes }: EstimateFacts): number {
  return answerBytes === undefined ? ANSWER_TOKENS : answerBytes / BYTES_PER_TOKEN;
}

/** Known only where every arm was timed before. */
function durationOf(plan: BakeoffPlan, left: number, past: EstimateFacts["past"]): number | undefined {
  const latencies = plan.arms.map(({ name }) => past.get(name)?.latencyMs);
  const known = latencies.filter((latency) => latency !== undefined);
  return known.length < latencies.length ? undefined : (mean(known) * left) / plan.concurrency;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
