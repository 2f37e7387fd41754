/** Flags of `modelrig bakeoff`, checked and with their defaults. */
import type { Command } from "commander";
import { isTagName } from "../../../intake/tag-rule.ts";
import { type NanoUsd, usdToNano } from "../../../money/nano-usd.ts";
import type { ObjectiveMode } from "../../../route/route.ts";
import { CliError, EXIT } from "../../command.ts";

/** As commander reads them. */
export interface BakeoffOptions {
  readonly route?: string;
  readonly variants?: string;
  readonly replayLast: string;
  readonly fromEvalCases?: string;
  readonly fromProposal?: string;
  readonly budgetUsd?: string;
  readonly envelope?: string;
  readonly totalUsd?: string;
  readonly judgeUsd?: string;
  readonly concurrency: string;
  readonly perProvider?: string;
  readonly seed?: string;
  readonly stratify?: string;
  readonly failuresFirst?: boolean;
  readonly repeats: string;
  readonly cluster?: string;
  readonly objective?: string;
  readonly reference?: string;
  readonly incumbent?: string;
  readonly keepOutputs: string;
  readonly resume?: string;
  readonly hosted?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Dollars per arm where no budget is given. */
export const DEFAULT_BUDGET_USD = "5";
/** Dollars of judging per UTC day on this machine. */
const DEFAULT_JUDGE_USD = "2";
/** Inputs whose outputs may be kept at the gateway. */
const MOST_KEPT = 100;

export function addBakeoffOptions(command: Command): Command {
  return command
    .option("--route <name>", "route to compare variants of")
    .option("--variants <names>", "comma-separated; the one that serves is always an arm (default: all)")
    .option("--replay-last <n>", "newest captures to replay", "200")
    .option("--from-eval-cases <task>", "eval cases of a task instead of captures, with their expected outputs")
    .option("--from-proposal <id>", "the route and variant of a proposal; the evidence is attached to it")
    .option("--budget-usd <usd>", `spend limit of each variant (default: ${DEFAULT_BUDGET_USD})`)
    .option("--envelope <usd>", "same as --budget-usd")
    .option("--total-usd <usd>", "spend limit of everything together, reference and judge included")
    .option("--judge-usd <usd>", "spend limit of judging per UTC day", DEFAULT_JUDGE_USD)
    .option("--concurrency <n>", "calls in flight", "8")
    .option("--per-provider <n>", "calls in flight to one provider")
    .option("--seed <n>", "order of inputs and arms (default: drawn, and printed)")
    .option("--stratify <tag>", "take inputs in turn from each value of a tag, e.g. tag:client")
    .option("--failures-first", "take calls that failed before the others")
    .option("--repeats <n>", "ask every input so often; repeats count as one item", "1")
    .option("--cluster <by>", "inputs that belong together: run, or a tag, e.g. tag:customer")
    .option("--objective <mode>", "quality-first, balanced or cost-first instead of the route's own")
    .option("--reference <which>", "auto, none, or provider/model instead of the route's own")
    .option("--incumbent <variant>", "what serves today (default: asked of the gateway, else default)")
    .option("--keep-outputs <n>", "send the inputs and outputs of n inputs to the gateway for review", "0")
    .option("--hosted", "run it at the gateway over its eval cases; it goes on there without this process")
    .option("--resume <id>", "go on with an interrupted bake-off; what it paid for is kept")
    .option("--dry-run", "print what it would cost and could show, and send nothing")
    .option("--yes", "spend without asking");
}

export function wholeNumber(flag: string, text: string, least = 1, most = 999_999_999): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return value;
  const range = most === 999_999_999 ? `from ${least}` : `from ${least} to ${most}`;
  throw usage(`${flag} takes a whole number ${range}, not ${JSON.stringify(text)}`);
}

export function dollarsOf(flag: string, text: string | undefined): NanoUsd | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}(\.\d{1,9})?$/.test(text))
    throw usage(`${flag} takes dollars such as 5 or 0.50, not ${JSON.stringify(text)}`);
  return usdToNano(text);
}

/** `tag:client` → `client`. */
export function tagNamed(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const name = text.startsWith("tag:") ? text.slice("tag:".length) : "";
  if (isTagName(name)) return name;
  throw usage(`${flag} takes a tag such as tag:client, not ${JSON.stringify(text)}`);
}

export function objectiveNamed(text: string | undefined): ObjectiveMode | undefined {
  if (text === undefined || text === "quality-first" || text === "balanced" || text === "cost-first") return text;
  throw usage(`--objective takes quality-first, balanced or cost-first, not ${JSON.stringify(text)}`);
}

export function keptInputs({ keepOutputs }: BakeoffOptions): number {
  return wholeNumber("--keep-outputs", keepOutputs, 0, MOST_KEPT);
}

export function usage(message: string, fix?: string): CliError {
  return new CliError("cli.usage", message, { exitCode: EXIT.usage, ...(fix !== undefined && { fix }) });
}
