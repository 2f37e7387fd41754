import { contenderOf } from "../../call/eligibility.ts";
import type { CallPorts } from "../../call/ports.ts";
import { routePolicy } from "../../call/route-policy.ts";
import type { BakeoffPlan } from "./bakeoff-plan.ts";

interface Uncallable {
  /** Name of the arm; absent = the judge. */
  readonly arm?: string | undefined;
  /** Every candidate with what keeps it away. */
  readonly why: string;
}

/** The first arm, or the judge where one is asked, that nothing here can serve: it would only fail, while others are paid for. */
export function uncallable({ arms, judge, metric, route }: BakeoffPlan, ports: CallPorts): Uncallable | undefined {
  for (const { name, narrowed } of arms) {
    const policy = routePolicy(narrowed, { allowTrial: true, stream: "validated" });
    const why = noneOf(narrowed.candidates.map((candidate) => contenderOf(candidate, policy, ports)));
    if (why !== undefined) return { arm: name, why };
  }
  if (judge?.type !== "judge" || metric !== "judge") return undefined;
  const narrowed = { route, variant: "judge", candidates: [judge.candidate] };
  const policy = { ...routePolicy(narrowed, { allowTrial: true, stream: "validated" }), require: [] };
  const why = noneOf([contenderOf(judge.candidate, policy, ports)]);
  return why === undefined ? undefined : { why };
}

function noneOf(contenders: readonly ReturnType<typeof contenderOf>[]): string | undefined {
  const skipped = contenders.flatMap((contender) => ("why" in contender ? [contender] : []));
  if (skipped.length < contenders.length) return undefined;
  return skipped.map(({ candidate, detail }) => `${candidate}: ${detail}`).join("; ") || "it has no candidate";
}
