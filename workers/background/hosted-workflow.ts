import type { WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { batchesOf, hostedPlanOf } from "../../src/bakeoff/hosted/hosted-batches.ts";
import { type BatchEnd, type HostedNeeds, hostedReport, runHostedBatch } from "../../src/bakeoff/hosted/hosted-run.ts";
import type { HostedBakeoff } from "../../src/bakeoff/ports.ts";
import type { CallInput, CallResult } from "../../src/call/call.ts";
import { executeCall } from "../../src/call/execute.ts";
import { claimsFor } from "../../src/envelope/period.ts";
import type { Failure, Result } from "../../src/failure/failure.ts";
import { fileProposal } from "../../src/proposal/file.ts";
import type { OrgStore } from "../../src/store/store.ts";
import { closedIn } from "../../src/swap/closed.ts";
import { prefixedId } from "../endpoints/actor.ts";
import { logError } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import type { HostedParams } from "./hosted-runs.ts";

/** A step that meets a database or provider that is away for a while outlasts it: about an hour. */
const PATIENT = {
  retries: { limit: 8, delay: "10 seconds", backoff: "exponential" },
  timeout: "30 minutes",
} as const;
/** After this a batch takes no new sample; well within the step's timeout, for calls that are in flight are finished. */
const BATCH_MS = 600_000;
/** An invocation may make 10,000 subrequests, and a sample takes about eight: another instance goes on after so many. */
const BATCHES_PER_INSTANCE = 20;
/** How often, and how long at a time, it waits for envelopes that are held by others or away. */
const WAITS = 20;
const WAIT = "30 seconds";

/** What a step hands to the next ones. */
type StepEnd<T> = { readonly is: T } | { readonly fault: { readonly code: string; readonly message: string } };

/**
 * One hosted bake-off. Steps are repeated when they fail or their process is gone; what they paid for is in the database,
 * so that repeating costs at most the calls that were in flight.
 */
export class HostedWorkflow {
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  async run(payload: HostedParams, step: WorkflowStep): Promise<void> {
    await this.#runtime.loadStore();
    const host = new Host(this.#runtime, payload);
    try {
      const end = await this.#measure(host, step);
      if (end === "handed over") return;
      const reported = await step.do("report", PATIENT, () => host.report());
      if ("fault" in reported) throw new StepFault(reported.fault);
    } catch (error) {
      const fault =
        error instanceof StepFault ? error.fault : { code: "internal", message: "it could not be finished" };
      if (!(error instanceof StepFault)) logError("hosted bake-off failed", error, { bakeoff: payload.id });
      await step.do("fail", PATIENT, () => host.fail(fault));
    }
  }

  async #measure(host: Host, step: WorkflowStep): Promise<"measured" | "handed over"> {
    const { from } = host.params;
    const batches = resultOf(await step.do("begin", PATIENT, () => host.begin()));
    const last = Math.min(batches, from + BATCHES_PER_INSTANCE);
    for (let index = from; index < last; index += 1) {
      if ((await this.#batch(host, step, index)) === "over") return "measured";
    }
    if (last >= batches) return "measured";
    await step.do("hand over", PATIENT, () => host.handOver(last));
    return "handed over";
  }

  async #batch(host: Host, step: WorkflowStep, index: number): Promise<"whole" | "over"> {
    for (let round = 1, waits = 0; ; round += 1) {
      const end = resultOf(await step.do(`batch ${index + 1}, round ${round}`, PATIENT, () => host.batch(index)));
      if (end === "whole" || end === "over") return end;
      if (end === "unfinished") continue;
      waits += 1;
      // The report tells what is missing for want of money.
      if (waits > WAITS) return "over";
      await step.sleep(`batch ${index + 1}, wait ${waits}`, WAIT);
    }
  }
}

/** What cannot be mended by trying again; carried to the end of `run`. */
class StepFault extends Error {
  readonly fault: { readonly code: string; readonly message: string };

  constructor(fault: StepFault["fault"]) {
    super(fault.message);
    this.fault = fault;
  }
}

function resultOf<T>(end: StepEnd<T>): T {
  if ("fault" in end) throw new StepFault(end.fault);
  return end.is;
}

function stepEnd<T>(result: Result<T>): StepEnd<T> {
  return result.ok ? { is: result.value } : { fault: faultOf(result.error) };
}

function faultOf({ class: failureClass, code, message }: Failure): StepFault["fault"] {
  return { code: code ?? failureClass, message };
}

/** One bake-off and what its steps need of the gateway. */
class Host {
  readonly params: HostedParams;
  readonly #runtime: Runtime;

  constructor(runtime: Runtime, params: HostedParams) {
    this.#runtime = runtime;
    this.params = params;
  }

  /** Returns how many batches there are. */
  async begin(): Promise<StepEnd<number>> {
    const hosted = await this.#hosted();
    await this.#store().hostedBakeoffs.move(hosted.id, ["queued"], "running", this.#deed(hosted));
    const plan = hostedPlanOf(hosted.plan, this.#route(hosted), this.params.org);
    return plan.ok ? { is: batchesOf(plan.value, hosted.plan.journal.seed).length } : stepEnd(plan);
  }

  async batch(index: number): Promise<StepEnd<BatchEnd>> {
    const hosted = await this.#hosted();
    const background = new Set<Promise<unknown>>();
    try {
      const needs = await this.#needs(hosted, (work) => background.add(work));
      return stepEnd(await runHostedBatch(hosted, index, needs, AbortSignal.timeout(BATCH_MS)));
    } finally {
      // Bills and telemetry are delivered before the step counts.
      await settledAll(background);
    }
  }

  async handOver(from: number): Promise<void> {
    const { id } = this.params;
    await this.#store().hostedBakeoffs.handOver(id, from);
    await this.#runtime.hostedRuns?.start({ ...this.params, from });
  }

  async report(): Promise<StepEnd<"stored">> {
    const hosted = await this.#hosted();
    const store = this.#store();
    const needs = { org: this.params.org, route: this.#route(hosted), store: store.hostedBakeoffs };
    const report = await hostedReport(hosted, { ...needs, evidence: store.evidence }, this.#runtime.now());
    if (!report.ok) return stepEnd(report);
    const actor = this.#deed(hosted);
    await store.bakeoffs.put(report.value, actor);
    await fileProposal(report.value, store.proposals, closedIn(store.swaps), actor, () => prefixedId("prop"));
    await store.hostedBakeoffs.move(hosted.id, ["cancelling"], "cancelled", actor);
    await store.hostedBakeoffs.move(hosted.id, ["queued", "running"], "done", actor);
    return { is: "stored" };
  }

  async fail({ code, message }: StepFault["fault"]): Promise<void> {
    const hosted = await this.#store().hostedBakeoffs.get(this.params.id);
    if (!hosted) return;
    const more = { ...this.#deed(hosted), error: `${code}: ${message}` };
    await this.#store().hostedBakeoffs.move(hosted.id, ["queued", "running", "cancelling"], "failed", more);
  }

  async #needs(hosted: HostedBakeoff, background: (work: Promise<unknown>) => void): Promise<HostedNeeds> {
    const { org } = this.params;
    const runtime = this.#runtime;
    const first: Promise<unknown>[] = [];
    // An isolate that has just begun does not know yet what was measured of models; the JSON ladder goes by it.
    runtime.callPorts(org, (work) => first.push(work));
    await Promise.allSettled(first);
    const ports = runtime.callPorts(org, background);
    const { key } = hosted.plan;
    const limits = () => {
      const { orgPerMonth } = runtime.config.budget;
      return claimsFor({ key: { id: key.id, perMonth: key.monthly_nano }, orgPerMonth }, runtime.now());
    };
    return {
      org,
      route: this.#route(hosted),
      store: this.#store().hostedBakeoffs,
      cases: async (ids) =>
        (await this.#store().evalCases.withIds(ids)).map(({ id, input, expected }) => ({
          id,
          payload: input,
          golden: expected,
        })),
      execute(input: CallInput): Promise<CallResult> {
        const budget = { ...input.budget, claims: [...input.budget.claims, ...limits()] };
        const context = { ...input.context, keyId: key.id, tags: { ...key.tags, ...input.context.tags } };
        return runtime.activity.track(executeCall({ ...input, context, budget }, ports));
      },
    };
  }

  async #hosted(): Promise<HostedBakeoff> {
    const hosted = await this.#store().hostedBakeoffs.get(this.params.id);
    if (!hosted) throw new NonRetryableError("the hosted bake-off was deleted");
    return hosted;
  }

  #store(): OrgStore {
    return this.#runtime.store().forOrg(this.params.org);
  }

  #route(hosted: HostedBakeoff) {
    return this.#runtime.routes.get(hosted.route);
  }

  #deed({ createdBy }: HostedBakeoff) {
    return { by: createdBy, at: this.#runtime.now() };
  }
}

/** Also of work that other work begins. */
async function settledAll(background: Set<Promise<unknown>>): Promise<void> {
  while (background.size > 0) {
    const works = [...background];
    background.clear();
    await Promise.allSettled(works);
  }
}
