import { uuidv7 } from "uuidv7";
import { recordCapabilities } from "../../api/org.ts";
import { executeCall } from "../../call/execute.ts";
import type { CompiledBundle } from "../../config/config.ts";
import { type ProbeTarget, withoutDoubt } from "../../probe/calls.ts";
import { estimateProbes } from "../../probe/estimate.ts";
import { type ProbeOutcome, probeModel } from "../../probe/probe.ts";
import { PROBE_METHOD } from "../../probe/tasks.ts";
import type { ProviderTable } from "../../provider/provider.ts";
import { PROBED, type ProbedCapability } from "../../registry/capability.ts";
import { type ProbedRow, REGISTRY_SCHEMA, toRow } from "../../registry/record.ts";
import { LOCAL_ORG } from "../../workspace/local-org.ts";
import { addToLocalRegistry } from "../../workspace/local-registry.ts";
import { dollarsOf, usage, wholeNumber } from "../bakeoff/run/options.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { compileFor } from "../compile.ts";
import { evaluationHost } from "../evaluation-host.ts";
import { addGatewayOptions, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { orgEnvelopes } from "../org-envelopes.ts";
import { printJson } from "../output/json.ts";
import { mayProbe, previewJson, previewText } from "../probe/preview.ts";
import { printOutcomes } from "../probe/print.ts";
import { replayLedger } from "../replay-ledger.ts";

interface Options extends GatewayOptions {
  readonly route?: string;
  readonly capability?: string;
  readonly samples: string;
  readonly budgetUsd: string;
  readonly concurrency: string;
  readonly routes?: string;
  readonly config?: string;
  readonly envFile?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    addGatewayOptions(command)
      .argument("[models...]", "models to measure, as provider/model")
      .option("--route <name>", "every candidate that this route declares")
      .option("--capability <names>", `comma-separated, of ${PROBED.join(", ")} (default: all)`)
      .option("--samples <n>", "probes of each capability; 35 passed of 35 settle a yes", "40")
      .option("--budget-usd <usd>", "spend limit of each model", "1")
      .option("--concurrency <n>", "calls in flight", "4")
      .option("--routes <dir>", "folder of route bundles (default: routes)")
      .option("--config <file>", "configuration (default: modelrig.yaml where it exists)")
      .option("--env-file <file>", "file with provider keys (default: .env where it exists)")
      .option("--dry-run", "print what would be asked and about what it costs, and send nothing")
      .option("--yes", "spend without asking")
      .option("--json", "print one JSON document, with --dry-run the estimate")
      .action(run((models: string[], options: Options) => probe(io, models, options)));
  },
};

interface Measured {
  readonly target: ProbeTarget;
  readonly outcomes: readonly ProbeOutcome[];
}

async function probe(io: Io, models: readonly string[], options: Options): Promise<ExitCode> {
  const bundle = await compileFor(io, { cwd: io.cwd, routes: options.routes, config: options.config });
  const evaluation = await evaluationHost(io, options, bundle);
  const envelopes = orgEnvelopes(io, options, bundle.config.budget.orgPerMonth, replayLedger(Date.now));
  const host = evaluation.ports(envelopes);
  const { providers, prices } = host;
  const capabilities = capabilitiesNamed(options.capability);
  const n = wholeNumber("--samples", options.samples, 1, 1_000);
  const limit = dollarsOf("--budget-usd", options.budgetUsd) ?? usageLimit();
  const concurrency = wholeNumber("--concurrency", options.concurrency, 1, 64);
  const planned = targetsOf(models, options, bundle, providers).map((target) => ({
    target,
    estimate: estimateProbes(target, capabilities, n, prices, new Date()),
    simulated: providers.find(target.provider)?.simulated === true,
  }));
  for (const one of planned) io.stderr.write(`${previewText(one, limit)}\n`);
  if (options.dryRun) {
    if (options.json) printJson(io, previewJson(planned, limit));
    return EXIT.done;
  }
  if (!(await mayProbe(io, planned, limit, options.yes === true))) return EXIT.no;
  const measured: Measured[] = [];
  try {
    for (const { target } of planned) {
      if (io.signal.aborted) break;
      if (planned.length > 1) io.stderr.write(`probing ${target.provider}/${target.model}\n`);
      const ports = { ...host, providers: withoutDoubt(providers, target) };
      const plan = { id: `probe_${uuidv7()}`, org: LOCAL_ORG, target, capabilities, n, limit, concurrency };
      const execute = (input: Parameters<typeof executeCall>[0]) => executeCall(input, ports);
      measured.push({ target, outcomes: await probeModel(plan, { execute, now: Date.now }, io.signal) });
    }
  } finally {
    await envelopes.close();
    await evaluation.close();
  }
  return await finish(io, options, measured, planned.length);
}

/** Keeps what was measured, also of a run that was cut short: every row says of how many. */
async function finish(io: Io, options: Options, measured: readonly Measured[], asked: number): Promise<ExitCode> {
  const rows = measured.flatMap(({ outcomes }) => outcomes.flatMap(({ row }) => (row ? [row] : [])));
  const file = rows.length > 0 ? addToLocalRegistry(io.cwd, rows) : undefined;
  const mirrored = await mirror(io, options, rows);
  const complete = measured.length === asked && measured.every(({ outcomes }) => outcomes.every((one) => one.complete));
  if (options.json) printJson(io, document(measured, complete));
  else printOutcomes(io, measured);
  if (file) io.stderr.write(`kept in ${file}${mirrored ? `, and by ${mirrored}` : ""}\n`);
  if (!complete) return EXIT.partial;
  return rows.length > 0 ? EXIT.done : EXIT.no;
}

function document(measured: readonly Measured[], complete: boolean): Record<string, unknown> {
  return {
    schema: REGISTRY_SCHEMA,
    method: PROBE_METHOD,
    complete,
    capabilities: measured.flatMap(({ outcomes }) => outcomes.flatMap(({ row }) => (row ? [toRow(row)] : []))),
    unanswered: measured.flatMap(({ target, outcomes }) =>
      outcomes
        .filter(({ unanswered }) => Object.keys(unanswered).length > 0)
        .map(({ capability, unanswered }) => ({ ...target, capability, failures: unanswered })),
    ),
  };
}

/** The gateway's URL where it took the rows; a gateway that is not there is no fault of a measurement. */
async function mirror(io: Io, options: GatewayOptions, rows: readonly ProbedRow[]): Promise<string | undefined> {
  if (rows.length === 0) return undefined;
  try {
    const gateway = gatewayFrom({ ...io, signal: new AbortController().signal }, options);
    const body = { schema: REGISTRY_SCHEMA, capabilities: rows.map(toRow) };
    await gateway.call(recordCapabilities, { body });
    return gateway.url;
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code !== "gateway.no_url") io.stderr.write(`not kept by the gateway: ${cause.message}\n`);
    return undefined;
  }
}

function targetsOf(
  models: readonly string[],
  options: Options,
  bundle: CompiledBundle,
  providers: ProviderTable,
): readonly ProbeTarget[] {
  const named = models.map((word) => {
    const slash = word.indexOf("/");
    const [provider, model] = [word.slice(0, slash), word.slice(slash + 1)];
    if (slash < 1 || model === "") throw usage(`${JSON.stringify(word)} is no provider/model`);
    if (!providers.find(provider)) throw usage(`no provider is named ${provider}`, "modelrig providers list");
    return { provider, model };
  });
  const route = bundle.routes.find(({ name }) => name === options.route);
  if (options.route !== undefined && !route) {
    throw usage(`no route is named ${options.route}`, bundle.routes.map(({ name }) => name).join(", "));
  }
  const declared = route?.candidates.map(({ provider, model }) => ({ provider, model })) ?? [];
  const all = new Map([...named, ...declared].map((target) => [`${target.provider}/${target.model}`, target]));
  if (all.size === 0) throw usage("nothing to probe", "modelrig probe openai/gpt-5.4-mini, or --route <name>");
  return [...all.values()];
}

function capabilitiesNamed(text: string | undefined): readonly ProbedCapability[] {
  if (text === undefined) return PROBED;
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !PROBED.some((capability) => capability === word));
  if (unknown !== undefined) {
    throw usage(`--capability does not know ${JSON.stringify(unknown)}`, `it takes ${PROBED.join(", ")}`);
  }
  return PROBED.filter((capability) => words.includes(capability));
}

function usageLimit(): never {
  throw usage("--budget-usd is needed");
}
