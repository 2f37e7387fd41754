/** From the flags of `modelrig bakeoff --hosted` to what the gateway is asked for. */
import type { z } from "zod";
import type { hostBakeoff } from "../../../api/bakeoffs.ts";
import { nanoToUsdText } from "../../../money/nano-usd.ts";
import { RUN_TAG } from "../../../replay/clusters.ts";
import {
  type BakeoffOptions,
  DEFAULT_BUDGET_USD,
  dollarsOf,
  objectiveNamed,
  usage,
  wholeNumber,
} from "../run/options.ts";

type HostedBody = z.input<(typeof hostBakeoff)["body"]>;

/** What only a bake-off on this machine can do, with what a hosted one does instead. */
const OF_THIS_MACHINE = {
  stratify: "eval cases have no tags: leave --stratify out",
  failuresFirst: "eval cases have no failures: leave --failures-first out",
  perProvider: "the gateway sets how many calls are in flight: leave --per-provider out",
  incumbent: "the gateway knows what it serves: leave --incumbent out",
  fromProposal: "name the route and its variants: --route R --variants V",
  dryRun: "nothing is estimated at the gateway; --total-usd limits what it spends",
} as const satisfies Partial<Record<keyof BakeoffOptions, string>>;

/** Throws a usage error for what a hosted bake-off cannot be. */
export function hostedRequest(options: BakeoffOptions): { readonly route: string; readonly body: HostedBody } {
  for (const [option, fix] of Object.entries(OF_THIS_MACHINE)) {
    if (options[option as keyof typeof OF_THIS_MACHINE] === undefined) continue;
    throw usage("a hosted bake-off replays the gateway's eval cases", fix);
  }
  if (options.repeats !== "1") throw usage("a hosted bake-off asks each eval case once", "leave --repeats out");
  if (options.keepOutputs !== "0") throw usage("a hosted bake-off keeps no outputs", "leave --keep-outputs out");
  const { cluster } = options;
  if (cluster !== undefined && cluster !== RUN_TAG)
    throw usage("eval cases have no tags; their clusters are runs", "--cluster run");
  const route = options.route ?? options.fromEvalCases;
  if (route === undefined) throw usage("--route <name> is needed");
  const budget = dollarsOf("--budget-usd", options.budgetUsd ?? options.envelope ?? DEFAULT_BUDGET_USD);
  const total = dollarsOf("--total-usd", options.totalUsd);
  const variants = options.variants?.split(",").map((name) => name.trim());
  const objective = objectiveNamed(options.objective);
  return {
    route,
    body: {
      last: wholeNumber("--replay-last", options.replayLast),
      ...(variants && { variants }),
      ...(options.fromEvalCases !== undefined && { task: options.fromEvalCases }),
      ...(budget !== undefined && { budget_usd: nanoToUsdText(budget) }),
      ...(total !== undefined && { total_usd: nanoToUsdText(total) }),
      ...(objective && { objective }),
      ...(options.seed !== undefined && { seed: wholeNumber("--seed", options.seed, 0) }),
      ...(options.reference !== undefined && { reference: options.reference }),
      ...(cluster === RUN_TAG && { cluster: RUN_TAG }),
    },
  };
}
