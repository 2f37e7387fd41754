import type { BakeoffPlan } from "../../bakeoff/run.ts";
import { contenderOf } from "../../call/eligibility.ts";
import type { CallPorts } from "../../call/ports.ts";
import { routePolicy } from "../../call/route-policy.ts";
import { CliError, EXIT } from "../command.ts";

/** An arm that nothing here can serve would only fail, while the others are paid for. */
export function requireCallable({ arms, judge, metric, route }: BakeoffPlan, ports: CallPorts): void {
  for (const { name, narrowed } of arms) {
    const policy = routePolicy(narrowed, { allowTrial: true, stream: "validated" });
    refuseIfNone(
      narrowed.candidates.map((candidate) => contenderOf(candidate, policy, ports)),
      `${name} cannot be called`,
      "set what is missing (environment or .env), or leave it out: --variants",
    );
  }
  if (judge?.type !== "judge" || metric !== "judge") return;
  const narrowed = { route, variant: "judge", candidates: [judge.candidate] };
  const policy = { ...routePolicy(narrowed, { allowTrial: true, stream: "validated" }), require: [] };
  refuseIfNone([contenderOf(judge.candidate, policy, ports)], "the judge cannot be called", "set what is missing");
}

function refuseIfNone(contenders: readonly ReturnType<typeof contenderOf>[], what: string, fix: string): void {
  const skipped = contenders.flatMap((contender) => ("why" in contender ? [contender] : []));
  if (skipped.length < contenders.length) return;
  const why = skipped.map(({ candidate, detail }) => `${candidate}: ${detail}`).join("; ");
  throw new CliError("bakeoff.cannot_call", `${what}: ${why || "it has no candidate"}`, { exitCode: EXIT.usage, fix });
}
