import type { JournalPlan } from "../../bakeoff/execution/journal.ts";
import type { BakeoffPlan } from "../../bakeoff/plan/bakeoff-plan.ts";
import { chooseReference } from "../../bakeoff/plan/reference-choice.ts";
import { planOf as planOfRoute, referenceKept } from "../../bakeoff/plan/resolve-plan.ts";
import type { CompiledBundle } from "../../config/config.ts";
import { type NanoUsd, usdToNano } from "../../money/nano-usd.ts";
import type { Registry } from "../../registry/capability.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import { variantNames } from "../../route/narrow.ts";
import type { Route } from "../../route/route.ts";
import { CliError, EXIT } from "../command.ts";
import type { FoundInputs } from "./lanes.ts";
import {
  type BakeoffOptions,
  DEFAULT_BUDGET_USD,
  dollars,
  keptInputs,
  objectiveNamed,
  usage,
  wholeNumber,
} from "./options.ts";

export interface Fresh {
  readonly id: string;
  readonly seed: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Variant that serves today. */
  readonly incumbent: string;
  /** Of the proposal that is to be proven. */
  readonly variants?: readonly string[] | undefined;
}

/** The plan as the journal keeps it. Everything in it is checked; arms and inputs are made from it. */
export function journalFromFlags(
  options: BakeoffOptions,
  route: Route,
  found: FoundInputs,
  registry: Registry,
  fresh: Fresh,
): JournalPlan {
  const asked = options.reference === "none" ? undefined : (options.reference ?? route.bakeoff?.reference);
  const reference = chooseReference(route, registry, asked);
  if (options.reference !== undefined && reference?.type === "none") throw usage(reference.reason);
  const variants = options.variants?.split(",").map((name) => name.trim()) ?? fresh.variants ?? variantNames(route);
  const total = dollars("--total-usd", options.totalUsd);
  return {
    id: fresh.id,
    route: route.name,
    route_hash: route.hash,
    variants: [...variants],
    incumbent: fresh.incumbent,
    reference: referenceKept(reference),
    objective: objectiveNamed(options.objective),
    asked: found.asked,
    sampling: found.sampling,
    budget_nano: budgetOf(options) ?? usdToNano(DEFAULT_BUDGET_USD),
    ...(total !== undefined && { total_nano: total }),
    judge_day_nano: dollars("--judge-usd", options.judgeUsd) ?? usdToNano(0),
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
  const total = dollars("--total-usd", options.totalUsd) ?? kept.total_nano;
  return {
    ...kept,
    budget_nano: budgetOf(options) ?? kept.budget_nano,
    ...(total !== undefined && { total_nano: total }),
    keep_outputs: keptInputs(options) || kept.keep_outputs,
  };
}

export function planOf(
  journal: JournalPlan,
  bundle: CompiledBundle,
  inputs: readonly ReplayInput[],
  earlier: Pick<BakeoffPlan, "done" | "doneVerdicts">,
): BakeoffPlan {
  const plan = planOfRoute(journal, routeNamed(bundle, journal.route), { org: "local", inputs, ...earlier });
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
  return dollars("--budget-usd", budgetUsd ?? envelope);
}
