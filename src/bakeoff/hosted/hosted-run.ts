/** Runs a hosted bake-off batch by batch. Each sample is written before it counts, so that no step is paid for twice. */
import type { CallInput, CallResult } from "../../call/call.ts";
import { err, failure, ok, type Result } from "../../failure/failure.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import type { Route } from "../../route/route.ts";
import { seededRandom } from "../../stats/random.ts";
import type { EvidenceStore } from "../evidence/evidence-store.ts";
import { withEarlier } from "../execution/asked-again.ts";
import type { StopReason } from "../execution/bakeoff-run.ts";
import { runBakeoff } from "../execution/run-bakeoff.ts";
import type { Sample } from "../execution/sample.ts";
import type { BakeoffPlan } from "../plan/bakeoff-plan.ts";
import type { HostedBakeoff, HostedStore } from "../ports.ts";
import { reportWithEvidence } from "../report/assemble-report.ts";
import type { BakeoffReport } from "../report/bakeoff-report.ts";
import { batchesOf, hostedPlanOf, lightInputs } from "./hosted-batches.ts";

type HostedCase = Pick<ReplayInput, "id" | "payload" | "golden">;

export interface HostedNeeds {
  readonly org: string;
  readonly route: Route | undefined;
  readonly store: HostedStore;
  /** What the eval cases of these ids ask and expect, where they still exist. */
  readonly cases: (ids: readonly string[]) => Promise<readonly HostedCase[]>;
  readonly execute: (input: CallInput) => Promise<CallResult>;
}

export type BatchEnd =
  /** All of it is measured that ever will be. */
  | "whole"
  /** Time was up: the same batch again. */
  | "unfinished"
  /** Its envelopes are away, or held by calls of others: the same batch again, later. */
  | "waiting"
  /** There is nothing left to send: every arm has stopped, or it was cancelled. */
  | "over";

/** Measures what is missing of one batch. Takes no new sample once `signal` aborts, and finishes those in flight. */
export async function runHostedBatch(
  hosted: HostedBakeoff,
  index: number,
  needs: HostedNeeds,
  signal: AbortSignal,
): Promise<Result<BatchEnd>> {
  if (hosted.state !== "running") return ok("over");
  const whole = hostedPlanOf(hosted.plan, needs.route, needs.org);
  if (!whole.ok) return whole;
  const stopped = stoppedBy((await needs.store.refused(hosted.id)).filter((sample) => !mayPass(sample)));
  const arms = whole.value.arms.filter(({ name }) => !stopped.has(name));
  if (arms.length === 0) return ok("over");
  const { seed } = hosted.plan.journal;
  const ids = batchesOf(whole.value, seed)[index] ?? [];
  const inputs = await withPayloads(ids, hosted, needs);
  if (!inputs.ok) return inputs;
  const done = await needs.store.samples(hosted.id, ids);
  const plan = { ...whole.value, arms, inputs: inputs.value, done };
  // Another batch, another draw; the same batch again, the same.
  return ok(await measured(plan, seed + 1 + index, needs, signal));
}

async function measured(plan: BakeoffPlan, seed: number, needs: HostedNeeds, signal: AbortSignal): Promise<BatchEnd> {
  const pages = new Pages(plan.id, needs.store);
  const calls = new Set<Promise<unknown>>();
  const before = ({ arm, input }: Sample): Sample | undefined =>
    plan.done.find((one) => one.arm === arm && one.input === input);
  const execute = async (input: CallInput): Promise<CallResult> => {
    // Never more unwritten samples than calls in flight.
    await pages.written();
    const call = needs.execute(input);
    calls.add(call);
    return await call.finally(() => calls.delete(call));
  };
  try {
    const run = await runBakeoff(
      plan,
      { execute, random: seededRandom(seed), onSample: (sample) => pages.write(withEarlier(sample, before(sample))) },
      AbortSignal.any([signal, pages.signal]),
    );
    await pages.written();
    if (pages.over) return "over";
    if (pages.refusedForNow) return "waiting";
    return [...run.stopped.values()].includes("interrupted") ? "unfinished" : "whole";
  } finally {
    // What was sent is paid for: its sample is kept even where the batch fails on another.
    await Promise.allSettled(calls);
    await pages.flushed();
  }
}

/** Samples on their way to the store. */
class Pages {
  readonly #id: string;
  readonly #store: HostedStore;
  readonly #stop = new AbortController();
  readonly #pending = new Set<Promise<void>>();
  #failed: { readonly error: unknown } | undefined;
  #over = false;
  refusedForNow = false;

  constructor(id: string, store: HostedStore) {
    this.#id = id;
    this.#store = store;
  }

  /** Aborts when there is no use in further samples: it was cancelled, or they cannot be kept. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Cancelled or deleted. */
  get over(): boolean {
    return this.#over;
  }

  write(sample: Sample): void {
    if (mayPass(sample)) this.refusedForNow = true;
    const writing = this.#keep(sample).finally(() => this.#pending.delete(writing));
    this.#pending.add(writing);
  }

  /** Resolves when everything is written; rejects where something could not be. */
  async written(): Promise<void> {
    await this.flushed();
    if (this.#failed) throw this.#failed.error;
  }

  async flushed(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #keep(sample: Sample): Promise<void> {
    try {
      if ((await this.#store.keep(this.#id, sample)) === "running") return;
      this.#over = true;
      this.#stop.abort();
    } catch (error) {
      this.#failed ??= { error };
      this.#stop.abort();
    }
  }
}

/** The planned inputs of these ids, with what is sent for them. */
async function withPayloads(
  ids: readonly string[],
  { plan }: HostedBakeoff,
  needs: HostedNeeds,
): Promise<Result<readonly ReplayInput[]>> {
  const planned = new Map(lightInputs(plan).map((input) => [input.id, input]));
  const cases = new Map((await needs.cases(ids)).map((one) => [one.id, one]));
  const inputs: ReplayInput[] = [];
  for (const id of ids) {
    const [input, found] = [planned.get(id), cases.get(id)];
    if (!input || !found)
      return err(failure("bad_request", `the eval case ${id} was deleted`, { code: "eval_case_gone" }));
    inputs.push({ ...input, payload: found.payload, golden: found.golden });
  }
  return ok(inputs);
}

/** The report of what is measured, whole or not. */
export async function hostedReport(
  hosted: HostedBakeoff,
  needs: Pick<HostedNeeds, "org" | "route" | "store"> & { readonly evidence: EvidenceStore },
  now: number,
): Promise<Result<BakeoffReport>> {
  const plan = hostedPlanOf(hosted.plan, needs.route, needs.org);
  if (!plan.ok) return plan;
  const samples = await needs.store.samples(hosted.id);
  const { asked, seed, started_at: startedAt } = hosted.plan.journal;
  const run = { samples, stopped: missing(plan.value, samples) };
  const facts = { asked, seed, startedAt: Date.parse(startedAt), finishedAt: now };
  return ok(await reportWithEvidence(plan.value, run, facts, needs.evidence));
}

/** Why arms have fewer samples than inputs. */
function missing({ arms, inputs }: BakeoffPlan, samples: readonly Sample[]): Map<string, StopReason> {
  const stopped = stoppedBy(samples);
  const settled = new Map<string, number>();
  for (const { arm, outcome } of samples) {
    if (outcome !== "refused") settled.set(arm, (settled.get(arm) ?? 0) + 1);
  }
  for (const { name } of arms) {
    if (!stopped.has(name) && (settled.get(name) ?? 0) < inputs.length) stopped.set(name, "interrupted");
  }
  return stopped;
}

/** Refused by envelopes that are away or busy, not spent. */
function mayPass({ outcome, failure: why }: Sample): boolean {
  return outcome === "refused" && (why?.reason === "envelope_busy" || why?.reason === "envelope_unreachable");
}

/** An arm that an envelope refused once for good is not asked again; its refused sample says so to later batches. */
function stoppedBy(samples: readonly Sample[]): Map<string, StopReason> {
  const refused = samples.filter(({ outcome }) => outcome === "refused");
  return new Map(refused.map(({ arm, failure: why }) => [arm, why?.reason === "unpriced" ? "unpriced" : "budget"]));
}
