/** Measures what one model can do, by asking it: each capability n times, under one envelope. */
import type { CallInput, CallResult } from "../call/call.ts";
import type { EnvelopeClaim } from "../envelope/envelope.ts";
import { addUsd, type NanoUsd, ZERO_USD } from "../money/nano-usd.ts";
import type { ProbedCapability } from "../registry/capability.ts";
import type { ProbedRow } from "../registry/record.ts";
import { wilson } from "../stats/wilson.ts";
import { type Finished, type ProbeTarget, probeCalls, verdictOn } from "./calls.ts";
import { PROBE_METHOD } from "./tasks.ts";

export interface ProbePlan {
  /** Of the whole run; names its envelope. */
  readonly id: string;
  readonly org: string;
  readonly target: ProbeTarget;
  readonly capabilities: readonly ProbedCapability[];
  /** Probes of each capability. */
  readonly n: number;
  /** Limit of the run's envelope. */
  readonly limit: NanoUsd;
  readonly concurrency: number;
}

interface ProbePorts {
  readonly execute: (input: CallInput) => Promise<CallResult>;
  readonly now: () => number;
}

export interface ProbeOutcome {
  readonly capability: ProbedCapability;
  /** Absent where no probe was answered. */
  readonly row?: ProbedRow | undefined;
  /** Probes that said nothing about the model: outages, refused keys, a spent envelope. By failure class, or reason of the refusal. */
  readonly unanswered: Readonly<Record<string, number>>;
  /** Known costs of everything sent. */
  readonly cost: NanoUsd;
  /** Every probe was sent: neither the envelope nor the signal cut it short. */
  readonly complete: boolean;
}

interface Tally {
  n: number;
  passed: number;
  sent: number;
  cost: NanoUsd;
  priced: boolean;
  simulated: boolean;
  readonly unanswered: Record<string, number>;
}

/** A probe of caching sends a long prompt twice, and a provider caches or does not: a few tell. */
const MOST_CACHING = 5;

/** Probes of one capability in a run that asks for `n` of each. */
export function probesOf(capability: ProbedCapability, n: number): number {
  return capability === "caching" ? Math.min(n, MOST_CACHING) : n;
}

/** The envelope that bounds one probing run. */
export function probeEnvelope(id: string, limit: NanoUsd): EnvelopeClaim {
  return { scope: "probe", id: `probe:${id}`, limit };
}

/** Capabilities one after the other; a capability that a refusal or the signal cut short is reported as incomplete. */
export async function probeModel(
  plan: ProbePlan,
  ports: ProbePorts,
  signal: AbortSignal,
): Promise<readonly ProbeOutcome[]> {
  const outcomes: ProbeOutcome[] = [];
  for (const capability of plan.capabilities) outcomes.push(await probeCapability(plan, capability, ports, signal));
  return outcomes;
}

async function probeCapability(
  plan: ProbePlan,
  capability: ProbedCapability,
  ports: ProbePorts,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const tally: Tally = { n: 0, passed: 0, sent: 0, cost: ZERO_USD, priced: true, simulated: false, unanswered: {} };
  const wanted = probesOf(capability, plan.n);
  let next = 0;
  let spent = false;
  const worker = async (): Promise<void> => {
    while (next < wanted && !spent && !signal.aborted) {
      const index = next;
      next += 1;
      spent = !(await probeOnce(plan, capability, index, ports, tally)) || spent;
    }
  };
  await Promise.all(Array.from({ length: Math.min(plan.concurrency, wanted) }, worker));
  const interval = wilson(tally.passed, tally.n);
  const { provider, model } = plan.target;
  return {
    capability,
    row: interval && {
      provider,
      model,
      capability,
      n: tally.n,
      passed: tally.passed,
      ...interval,
      measuredAt: new Date(ports.now()).toISOString(),
      cost: tally.priced ? tally.cost : undefined,
      simulated: tally.simulated,
      method: PROBE_METHOD,
    },
    unanswered: tally.unanswered,
    cost: tally.cost,
    complete: tally.sent === wanted,
  };
}

/** False where the envelope has no room for another. */
async function probeOnce(
  plan: ProbePlan,
  capability: ProbedCapability,
  index: number,
  ports: ProbePorts,
  tally: Tally,
): Promise<boolean> {
  const claims = [probeEnvelope(plan.id, plan.limit)];
  let last: Finished | undefined;
  for (const input of probeCalls(plan.target, capability, index, { id: plan.id, org: plan.org, claims })) {
    const result = await ports.execute(input);
    if (result.type === "stream") throw new TypeError("probes are not streamed");
    book(tally, result);
    if (result.type === "failure" && result.failure.class === "budget_exhausted") {
      unanswered(tally, result.failure.reason ?? result.failure.class);
      return false;
    }
    last = result;
    if (result.type === "failure") break;
  }
  if (!last) return true;
  tally.sent += 1;
  const verdict = verdictOn(capability, index, last);
  if (verdict.type === "unanswered") unanswered(tally, verdict.class);
  else {
    tally.n += 1;
    if (verdict.passed) tally.passed += 1;
  }
  return true;
}

function unanswered(tally: Tally, why: string): void {
  tally.unanswered[why] = (tally.unanswered[why] ?? 0) + 1;
}

function book(tally: Tally, result: Finished): void {
  const { inference } = result;
  tally.simulated ||= inference.simulated;
  if (inference.attempts.every(({ failure }) => failure?.class === "budget_exhausted")) return;
  if (inference.cost === undefined) tally.priced = false;
  tally.cost = addUsd(tally.cost, inference.cost ?? ZERO_USD);
}
