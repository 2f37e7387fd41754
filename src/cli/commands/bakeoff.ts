import { randomInt } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { reportOf } from "../../bakeoff/assemble.ts";
import type { BakeoffReport } from "../../bakeoff/report.ts";
import { replayEnvelope, runBakeoff } from "../../bakeoff/run.ts";
import { executeCall } from "../../call/execute.ts";
import type { CompiledBundle } from "../../config/config.ts";
import { formatUsd } from "../../money/format.ts";
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from "../../money/nano-usd.ts";
import { seededRandom } from "../../stats/random.ts";
import { engineHost } from "../../workspace/engine-host.ts";
import { environment } from "../../workspace/env-file.ts";
import { openCaptures } from "../../workspace/local-captures.ts";
import { type BakeoffFiles, bakeoffFiles } from "../bakeoff/files.ts";
import { mirror } from "../bakeoff/mirror.ts";
import {
  type BakeoffOptions,
  DEFAULT_BUDGET_USD,
  type PlannedBakeoff,
  planFromFlags,
  planFromJournal,
} from "../bakeoff/plan.ts";
import { printMatrix } from "../bakeoff/print.ts";
import { startProgress } from "../bakeoff/progress.ts";
import { type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { compileFor } from "../compile.ts";
import { addGatewayOptions, type GatewayOptions } from "../gateway-client.ts";
import { printJson } from "../output/json.ts";
import { replayLedger } from "../replay-ledger.ts";

interface Options extends BakeoffOptions, GatewayOptions {
  readonly routes?: string;
  readonly config?: string;
  readonly envFile?: string;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    command
      .option("--route <name>", "route to compare variants of")
      .option("--variants <names>", "comma-separated; the one that serves is always an arm (default: all)")
      .option("--replay-last <n>", "newest captures to replay", "200")
      .option("--budget-usd <usd>", `spend limit of each arm (default: ${DEFAULT_BUDGET_USD})`)
      .option("--envelope <usd>", "same as --budget-usd")
      .option("--concurrency <n>", "calls in flight", "8")
      .option("--seed <n>", "order of inputs and arms (default: drawn, and printed)")
      .option("--resume <id>", "go on with an interrupted bake-off; what it paid for is kept")
      .option("--routes <dir>", "folder of route bundles (default: routes)")
      .option("--config <file>", "configuration (default: modelrig.yaml where it exists)")
      .option("--env-file <file>", "file with provider keys (default: .env where it exists)")
      .option("--json", "print the report as one JSON document");
    addGatewayOptions(command).action(run((options: Options) => bakeoff(io, options)));
  },
};

async function bakeoff(io: Io, options: Options): Promise<ExitCode> {
  const bundle = await compileFor(io, { cwd: io.cwd, routes: options.routes, config: options.config });
  const environmentValues = environment(io, options.envFile);
  const id = options.resume ?? `bo_${uuidv7()}`;
  const files = bakeoffFiles(io, id);
  const captures = openCaptures(io.cwd);
  let planned: PlannedBakeoff;
  try {
    planned =
      options.resume === undefined
        ? planFromFlags(options, bundle, captures, { id, seed: randomInt(1_000_000), now: Date.now() })
        : planFromJournal(options, bundle, captures, files);
  } finally {
    captures.close();
  }
  const report = await measure(io, planned, bundle, environmentValues, files);
  files.writeReport(report);
  if (options.json) printJson(io, report);
  else printMatrix(io, report);
  const next = await hand(io, options, report, files.reportPath);
  return report.partial ? EXIT.partial : next;
}

async function measure(
  io: Io,
  planned: PlannedBakeoff,
  bundle: CompiledBundle,
  keys: Readonly<Record<string, string>>,
  files: BakeoffFiles,
): Promise<BakeoffReport> {
  const { id, route, arms, inputs, budgetPerArm, concurrency, seed, asked, startedAt, done } = planned;
  const total = inputs.length * arms.length;
  const budget = nanoUsd(budgetPerArm * arms.length);
  if (done.length === 0) files.begin(journalPlan(planned));
  io.stderr.write(
    `bake-off ${id}: ${inputs.length} inputs on ${arms.length} arms, real calls, at most ${formatUsd(budgetPerArm)} an arm\n`,
  );
  const ledger = replayLedger(Date.now, spentBefore(planned));
  const ports = engineHost(bundle, { environment: keys, envelopes: ledger, recorder: { record: () => undefined } });
  const progress = startProgress(io, { total, budget }, Date.now);
  for (const sample of done) progress.onSample(sample);
  const onAbort = (): void => {
    progress.end();
    io.stderr.write("stopping; finishing the calls in flight, Ctrl-C again to drop them\n");
  };
  io.signal.addEventListener("abort", onAbort, { once: true });
  const plan = { id, org: "local", route, arms, inputs, budgetPerArm, concurrency, done };
  const result = await runBakeoff(
    plan,
    {
      execute: (input) => executeCall(input, ports),
      random: seededRandom(seed),
      onSample(sample) {
        files.append(sample);
        progress.onSample(sample);
      },
    },
    io.signal,
  );
  io.signal.removeEventListener("abort", onAbort);
  progress.end();
  files.close();
  return reportOf(plan, result, { asked, seed, startedAt, finishedAt: Date.now() });
}

/** Files the proposal, and says what to do next. */
async function hand(io: Io, options: Options, report: BakeoffReport, reportPath: string): Promise<ExitCode> {
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  const mirrored = await mirror(io, options, report);
  if (report.partial) say(`go on:  modelrig bakeoff --resume ${report.id}`);
  say(`report: ${reportPath}`);
  switch (mirrored.type) {
    case "no_gateway":
      if (report.gate.proposes !== undefined) {
        say("no gateway is configured, so no proposal was filed; set MODELRIG_URL and MODELRIG_KEY, then");
        say(`next:   modelrig bakeoff --resume ${report.id}    (nothing is paid again)`);
      }
      return EXIT.done;
    case "failed":
      say(`warning: the report did not reach the gateway: ${mirrored.error.message}`);
      say(`next:   modelrig bakeoff --resume ${report.id}    (nothing is paid again)`);
      return EXIT.partial;
    case "recorded":
      if (mirrored.proposal === null) return EXIT.done;
      say(`proposal ${mirrored.proposal.id} (${mirrored.proposal.state})`);
      if (mirrored.proposal.state === "evidenced")
        say(`next:   modelrig swap execute ${mirrored.proposal.id} --approve`);
      return EXIT.done;
  }
}

function journalPlan({ arms, route, inputs, ...plan }: PlannedBakeoff) {
  return {
    id: plan.id,
    route: route.name,
    route_hash: route.hash,
    variants: arms.map(({ name }) => name),
    incumbent: arms.find(({ role }) => role === "incumbent")?.name ?? "",
    inputs: inputs.map(({ id }) => id),
    asked: plan.asked,
    budget_nano: plan.budgetPerArm,
    concurrency: plan.concurrency,
    seed: plan.seed,
    started_at: new Date(plan.startedAt).toISOString(),
  };
}

function spentBefore({ id, arms, done, budgetPerArm }: PlannedBakeoff): ReadonlyMap<string, NanoUsd> {
  return new Map(
    arms.map(({ name }) => {
      const costs = done.filter(({ arm }) => arm === name).map(({ cost }) => cost ?? ZERO_USD);
      return [replayEnvelope(id, name, budgetPerArm).id, addUsd(...costs)] as const;
    }),
  );
}
