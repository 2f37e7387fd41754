/** From the flags of `modelrig bakeoff` to what is asked for, and what of a bake-off may change when it is resumed. */
import type { BakeoffPlan } from "../../../bakeoff/plan/bakeoff-plan.ts";
import type { JournalPlan } from "../../../bakeoff/plan/journal-plan.ts";
import { planOf } from "../../../bakeoff/plan/resolve-plan.ts";
import type { BakeoffRequest } from "../../../bakeoff/plan/start-bakeoff.ts";
import type { CompiledBundle } from "../../../config/config.ts";
import { type NanoUsd, usdToNano } from "../../../money/nano-usd.ts";
import { RUN_TAG } from "../../../replay/clusters.ts";
import type { Route } from "../../../route/route.ts";
import { LOCAL_ORG } from "../../../workspace/local-org.ts";
import { CliError, EXIT } from "../../command.ts";
import {
  type BakeoffOptions,
  DEFAULT_BUDGET_USD,
  dollarsOf,
  keptInputs,
  objectiveNamed,
  tagNamed,
  usage,
  wholeNumber,
} from "./options.ts";

interface Fresh {
  readonly id: string;
  readonly seed: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Variant that serves today. */
  readonly incumbent: string;
  /** Of the proposal that is to be proven. */
  readonly variants?: readonly string[] | undefined;
}

/** What the flags ask for, with their defaults. Throws a usage error for what no bake-off could be. */
export function requestFromFlags(options: BakeoffOptions, fresh: Fresh): BakeoffRequest {
  const { fromEvalCases, stratify, failuresFirst, cluster } = options;
  if (fromEvalCases !== undefined && (stratify !== undefined || failuresFirst))
    throw usage("--stratify and --failures-first draw from captures; eval cases have neither tags nor failures");
  if (fromEvalCases !== undefined && cluster !== undefined && cluster !== RUN_TAG)
    throw usage("eval cases have no tags; their clusters are runs: --cluster run");
  const total = dollarsOf("--total-usd", options.totalUsd);
  return {
    id: fresh.id,
    variants: options.variants?.split(",").map((name) => name.trim()) ?? fresh.variants,
    incumbent: fresh.incumbent,
    reference: options.reference,
    objective: objectiveNamed(options.objective),
    sampling: {
      last: wholeNumber("--replay-last", options.replayLast),
      stratify: tagNamed("--stratify", stratify),
      failuresFirst: failuresFirst === true,
      cluster: cluster === RUN_TAG ? RUN_TAG : tagNamed("--cluster", cluster),
    },
    repeats: wholeNumber("--repeats", options.repeats, 1, 100),
    budget_nano: budgetOf(options) ?? usdToNano(DEFAULT_BUDGET_USD),
    ...(total !== undefined && { total_nano: total }),
    judge_day_nano: dollarsOf("--judge-usd", options.judgeUsd) ?? usdToNano(0),
    concurrency: wholeNumber("--concurrency", options.concurrency, 1, 1_000),
    ...(options.perProvider !== undefined && { per_provider: wholeNumber("--per-provider", options.perProvider) }),
    seed: options.seed === undefined ? fresh.seed : wholeNumber("--seed", options.seed, 0),
    keep_outputs: keptInputs(options),
    ...(options.fromProposal !== undefined && { proposal: options.fromProposal }),
    started_at: new Date(fresh.now).toISOString(),
  };
}

/** Continues an interrupted run; what it paid for is kept. Only budgets may be given anew. */
export function journalToResume(options: BakeoffOptions, kept: JournalPlan): JournalPlan {
  refuseNewShape(options, kept);
  const total = dollarsOf("--total-usd", options.totalUsd) ?? kept.total_nano;
  return {
    ...kept,
    budget_nano: budgetOf(options) ?? kept.budget_nano,
    ...(total !== undefined && { total_nano: total }),
    keep_outputs: keptInputs(options) || kept.keep_outputs,
  };
}

/** The plan of a bake-off that began before, over the inputs it was begun with. */
export function resumedPlan(
  journal: JournalPlan,
  bundle: CompiledBundle,
  earlier: Pick<BakeoffPlan, "inputs" | "done" | "doneVerdicts" | "donePlanted">,
): BakeoffPlan {
  const plan = planOf(journal, routeNamed(bundle, journal.route), { org: LOCAL_ORG, ...earlier });
  if (plan.ok) return plan.value;
  if (plan.error.code !== "route_changed") throw usage(plan.error.message);
  throw new CliError("bakeoff.route_changed", plan.error.message, {
    exitCode: EXIT.no,
    fix: "start a new one: samples of two versions do not compare",
  });
}

export function routeNamed({ routes }: CompiledBundle, name: string): Route {
  const route = routes.find((one) => one.name === name);
  if (route) return route;
  throw new CliError("bakeoff.no_route", `no route is named ${name}`, {
    exitCode: EXIT.usage,
    fix: `one of: ${routes.map((one) => one.name).join(", ") || "none; see modelrig routes new"}`,
  });
}

/** Flags that shape what is compared. A resumed bake-off has its shape, and must not take another without a word. */
const OF_A_NEW_ONE = {
  variants: "--variants",
  fromEvalCases: "--from-eval-cases",
  fromProposal: "--from-proposal",
  seed: "--seed",
  perProvider: "--per-provider",
  stratify: "--stratify",
  failuresFirst: "--failures-first",
  cluster: "--cluster",
  objective: "--objective",
  reference: "--reference",
  incumbent: "--incumbent",
} as const satisfies Partial<Record<keyof BakeoffOptions, string>>;

function refuseNewShape(options: BakeoffOptions, kept: JournalPlan): void {
  for (const [option, flag] of Object.entries(OF_A_NEW_ONE)) {
    if (options[option as keyof typeof OF_A_NEW_ONE] === undefined) continue;
    throw usage(`${flag} is for a new bake-off; a resumed one goes on as it was planned`, `leave ${flag} out`);
  }
  if (options.route !== undefined && options.route !== kept.route) {
    throw usage(`${kept.id} is of ${kept.route}, not of ${options.route}`, "leave --route out");
  }
}

function budgetOf({ budgetUsd, envelope }: BakeoffOptions): NanoUsd | undefined {
  if (budgetUsd !== undefined && envelope !== undefined) {
    throw usage("--budget-usd and --envelope are the same", "give one of them");
  }
  return dollarsOf("--budget-usd", budgetUsd ?? envelope);
}
