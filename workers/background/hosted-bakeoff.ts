import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import type { Env } from "../bindings.ts";
import { runtimeOf } from "../compose.ts";
import type { HostedParams } from "./hosted-runs.ts";

/** The platform's handle on a hosted bake-off. What it does is loaded when one runs. */
export class HostedBakeoffRun extends WorkflowEntrypoint<Env, HostedParams> {
  override async run({ payload }: WorkflowEvent<HostedParams>, step: WorkflowStep): Promise<void> {
    const { HostedWorkflow } = await import("./hosted-workflow.ts");
    await new HostedWorkflow(runtimeOf(this.env)).run(payload, step);
  }
}
