import { type Arm, armsOf } from "../../bakeoff/arm.ts";
import type { ReplayInput } from "../../bakeoff/replay-input.ts";
import type { Sample } from "../../bakeoff/sample.ts";
import type { CaptureStore } from "../../capture/capture-store.ts";
import type { CompiledBundle } from "../../config/config.ts";
import { type NanoUsd, usdToNano } from "../../money/nano-usd.ts";
import { DEFAULT_VARIANT, variantNames } from "../../route/narrow.ts";
import type { Route } from "../../route/route.ts";
import { CliError, EXIT } from "../command.ts";
import type { BakeoffFiles } from "./files.ts";

export interface BakeoffOptions {
  readonly route?: string;
  readonly variants?: string;
  readonly replayLast: string;
  readonly budgetUsd?: string;
  readonly envelope?: string;
  readonly concurrency: string;
  readonly seed?: string;
  readonly resume?: string;
}

/** What is to be run: from flags, or from the journal of an earlier run. */
export interface PlannedBakeoff {
  readonly id: string;
  readonly route: Route;
  readonly arms: readonly Arm[];
  readonly inputs: readonly ReplayInput[];
  readonly asked: number;
  readonly budgetPerArm: NanoUsd;
  readonly concurrency: number;
  readonly seed: number;
  readonly startedAt: number;
  readonly done: readonly Sample[];
}

/** Dollars per arm where no budget is given. */
export const DEFAULT_BUDGET_USD = "5";

export function planFromFlags(
  options: BakeoffOptions,
  bundle: CompiledBundle,
  captures: CaptureStore,
  fresh: { readonly id: string; readonly seed: number; readonly now: number },
): PlannedBakeoff {
  if (options.route === undefined) throw usage("--route <name> is needed");
  const route = routeNamed(bundle, options.route);
  const asked = wholeNumber("--replay-last", options.replayLast);
  const inputs = captures.list({ route: route.name, limit: asked });
  if (inputs.length === 0) {
    throw new CliError("bakeoff.no_captures", `nothing is captured for ${route.name}`, {
      exitCode: EXIT.usage,
      fix: route.capture
        ? "point a client at `modelrig capture` and make some calls"
        : "set `capture: true` in its file, then record calls with `modelrig capture`",
    });
  }
  const names = options.variants?.split(",").map((name) => name.trim()) ?? variantNames(route);
  return {
    id: fresh.id,
    route,
    arms: armsNamed(route, names, DEFAULT_VARIANT),
    inputs,
    asked,
    budgetPerArm: budgetOf(options) ?? usdToNano(DEFAULT_BUDGET_USD),
    concurrency: wholeNumber("--concurrency", options.concurrency),
    seed: options.seed === undefined ? fresh.seed : wholeNumber("--seed", options.seed, 0),
    startedAt: fresh.now,
    done: [],
  };
}

/** Continues an interrupted run; what it paid for is kept. Only the budget may be given anew. */
export function planFromJournal(
  options: BakeoffOptions,
  bundle: CompiledBundle,
  captures: CaptureStore,
  files: BakeoffFiles,
): PlannedBakeoff {
  const { plan, samples } = files.readJournal();
  const route = routeNamed(bundle, plan.route);
  if (route.hash !== plan.route_hash) {
    throw new CliError("bakeoff.route_changed", `${route.name} has changed since this bake-off began`, {
      exitCode: EXIT.no,
      fix: "start a new one: samples of two versions do not compare",
    });
  }
  const inputs = plan.inputs.map((id) => {
    const capture = captures.get(id);
    if (capture) return capture;
    throw new CliError("bakeoff.capture_gone", `capture ${id} of this bake-off was deleted`, {
      exitCode: EXIT.no,
      fix: "start a new one",
    });
  });
  return {
    id: plan.id,
    route,
    arms: armsNamed(route, plan.variants, plan.incumbent),
    inputs,
    asked: plan.asked,
    budgetPerArm: budgetOf(options) ?? plan.budget_nano,
    concurrency: plan.concurrency,
    seed: plan.seed,
    startedAt: Date.parse(plan.started_at),
    done: samples,
  };
}

function routeNamed({ routes }: CompiledBundle, name: string): Route {
  const route = routes.find((one) => one.name === name);
  if (route) return route;
  throw new CliError("bakeoff.no_route", `no route is named ${name}`, {
    exitCode: EXIT.usage,
    fix: `one of: ${routes.map((one) => one.name).join(", ") || "none; see modelrig routes new"}`,
  });
}

function armsNamed(route: Route, names: readonly string[], incumbent: string): readonly Arm[] {
  const arms = armsOf(route, names, incumbent);
  if (arms.ok) return arms.value;
  throw usage(arms.error.message);
}

function budgetOf({ budgetUsd, envelope }: BakeoffOptions): NanoUsd | undefined {
  const text = budgetUsd ?? envelope;
  if (text === undefined) return undefined;
  if (!/^\d{1,6}(\.\d{1,9})?$/.test(text))
    throw usage(`--budget-usd takes dollars such as 5 or 0.50, not ${JSON.stringify(text)}`);
  return usdToNano(text);
}

function wholeNumber(flag: string, text: string, least = 1): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw usage(`${flag} takes a whole number from ${least}, not ${JSON.stringify(text)}`);
}

function usage(message: string): CliError {
  return new CliError("cli.usage", message, { exitCode: EXIT.usage });
}
