import { armsOf } from "../../../src/bakeoff/plan/arm.ts";
import type { BakeoffPlan } from "../../../src/bakeoff/plan/bakeoff-plan.ts";
import type { JournalPlan } from "../../../src/bakeoff/plan/journal-plan.ts";
import type { CallInput, CallResult } from "../../../src/call/call.ts";
import type { Attempt, Inference } from "../../../src/call/inference.ts";
import type { EnvelopePort } from "../../../src/call/ports.ts";
import { type Failure, failure } from "../../../src/failure/failure.ts";
import { addUsd, nanoUsd, ZERO_USD } from "../../../src/money/nano-usd.ts";
import type { ReplayInput } from "../../../src/replay/replay-input.ts";
import type { Route } from "../../../src/route/route.ts";
import { routeOf } from "../sources/bundles.ts";

/** A route with a dear default and a cheap variant; what they do is up to `fakeEngine`. */
export function twoArmRoute(): Promise<Route> {
  return routeOf(`route: acme.task
candidates:
  - { provider: sim, model: atlas-large }
  - { provider: sim, model: atlas-small }
input: { type: object, properties: { text: { type: string } } }
template: { user: "{{ text }}" }
output: { schema: { type: object, properties: { a: { type: number } }, required: [a] } }
variants:
  - name: cheap
    candidates: [{ provider: sim, model: atlas-small }]
`);
}

export const inputs = (count: number): ReplayInput[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `cap_${index}`,
    at: index * 1000,
    question: `question ${index}`,
    payload: { kind: "variables", variables: { text: `text ${index}` } },
  }));

export function planOf(route: Route, more: Partial<BakeoffPlan> = {}): BakeoffPlan {
  const arms = armsOf(route, ["cheap"], "default");
  if (!arms.ok) throw new Error(arms.error.message);
  return {
    id: "bo_1",
    org: "local",
    route,
    arms: arms.value,
    inputs: inputs(20),
    sampling: { representative: true, text: "the newest captures" },
    budgetPerArm: nanoUsd(1_000_000_000),
    concurrency: 4,
    done: [],
    ...more,
  };
}

/** The first line of a journal. */
export function journalOf(more: Partial<JournalPlan> = {}): JournalPlan {
  return {
    id: "bo_1",
    route: "acme.task",
    route_hash: "a".repeat(64),
    variants: ["default", "cheap"],
    incumbent: "default",
    asked: 20,
    sampling: "the last 20 captures",
    representative: true,
    budget_nano: nanoUsd(1_000_000_000),
    judge_day_nano: nanoUsd(1_000_000_000),
    concurrency: 4,
    seed: 7,
    keep_outputs: 0,
    started_at: new Date(0).toISOString(),
    ...more,
  };
}

export interface FakeCall {
  /** Nano-dollars: the bill, and the most it could have been. */
  readonly cost: number;
  readonly worstCase: number;
  readonly output?: unknown;
  readonly conformant?: boolean;
  readonly failure?: Failure;
  readonly latencyMs?: number;
  /** Cost of a first attempt that failed, settled before the second is reserved. */
  readonly firstAttempt?: number;
}

/** Books like the engine does: one reservation per call, settled at its cost, refused with its reason. */
export function fakeEngine(envelopes: EnvelopePort, serve: (input: CallInput) => FakeCall) {
  let calls = 0;
  return async function execute(input: CallInput): Promise<CallResult> {
    const call = serve(input);
    calls += 1;
    const reservationId = `att_${calls}`;
    const { claims } = input.budget;
    const attempts: Attempt[] = [];
    if (call.firstAttempt !== undefined) {
      const first = `${reservationId}_first`;
      const taken = await envelopes.reserve({
        reservationId: first,
        claims,
        worstCase: nanoUsd(call.worstCase),
        ttlMs: 1000,
      });
      if (taken !== "unreachable" && taken.granted) {
        await new Promise((resolve) => setImmediate(resolve));
        envelopes.settle(first, nanoUsd(call.firstAttempt));
        attempts.push(attemptOf(first, { ...call, cost: call.firstAttempt }));
      }
    }
    const reserved = await envelopes.reserve({
      reservationId,
      claims,
      worstCase: nanoUsd(call.worstCase),
      ttlMs: 1000,
    });
    if (reserved === "unreachable") throw new Error("a local ledger is always there");
    if (!reserved.granted) {
      const refusal = failure("budget_exhausted", "refused", { reason: reserved.reason });
      const refused = { ...attemptOf(reservationId, { ...call, cost: 0 }), failure: refusal };
      return { type: "failure", failure: refusal, inference: inferenceOf(input, [...attempts, refused], refusal) };
    }
    await new Promise((resolve) => setImmediate(resolve));
    envelopes.settle(reservationId, nanoUsd(call.cost));
    attempts.push(attemptOf(reservationId, call));
    if (call.failure) {
      return { type: "failure", failure: call.failure, inference: inferenceOf(input, attempts, call.failure) };
    }
    const inference = { ...inferenceOf(input, attempts), conformant: call.conformant ?? true };
    return { type: "answer", answer: { choices: [] }, output: call.output ?? { a: 1 }, inference };
  };
}

function attemptOf(id: string, { cost, latencyMs = 5 }: FakeCall): Attempt {
  return {
    id,
    index: 0,
    provider: "sim",
    model: "m",
    rung: "native_strict",
    startedAt: 0,
    latencyMs,
    cost: nanoUsd(cost),
    costEstimated: false,
    servedTier: "standard",
    dropped: [],
  };
}

function inferenceOf(input: CallInput, attempts: readonly Attempt[], failed?: Failure): Inference {
  return {
    id: "inf",
    org: "local",
    lane: "replay",
    variant: input.context.variant,
    stream: false,
    startedAt: 0,
    latencyMs: attempts[0]?.latencyMs ?? 0,
    rung: "native_strict",
    failure: failed,
    attempts,
    skipped: [],
    cost: addUsd(...attempts.map(({ cost }) => cost ?? ZERO_USD)),
    costEstimated: false,
    tags: input.context.tags,
    simulated: false,
  };
}
