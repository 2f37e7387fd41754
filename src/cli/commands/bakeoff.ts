import { randomInt } from "node:crypto";
import { uuidv7 } from "uuidv7";
import type { JournalPlan } from "../../bakeoff/execution/journal.ts";
import type { BakeoffPlan } from "../../bakeoff/plan/bakeoff-plan.ts";
import { estimateBakeoff } from "../../bakeoff/plan/estimate.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import type { EnvelopePort } from "../../call/ports.ts";
import type { CompiledBundle } from "../../config/config.ts";
import type { NanoUsd } from "../../money/nano-usd.ts";
import { registryOf } from "../../registry/record.ts";
import { engineHost } from "../../workspace/engine-host.ts";
import { environment } from "../../workspace/env-file.ts";
import { openCaptures } from "../../workspace/local-captures.ts";
import { readLocalRegistry } from "../../workspace/local-registry.ts";
import { requireCallable } from "../bakeoff/callable.ts";
import { type BakeoffFiles, bakeoffFiles } from "../bakeoff/files.ts";
import { writeHtml } from "../bakeoff/html-file.ts";
import { writeInputs } from "../bakeoff/input-file.ts";
import { keepOutputs } from "../bakeoff/keep.ts";
import { captureInputs, evalCaseInputs, type FoundInputs } from "../bakeoff/lanes.ts";
import { liveVariant } from "../bakeoff/live-variant.ts";
import { type Measured, measure } from "../bakeoff/measure.ts";
import { mirror } from "../bakeoff/mirror.ts";
import { addBakeoffOptions, type BakeoffOptions, usage } from "../bakeoff/options.ts";
import { readOutputs } from "../bakeoff/output-file.ts";
import { pastArms } from "../bakeoff/past.ts";
import { type Fresh, journalFromFlags, journalToResume, planOf, routeNamed } from "../bakeoff/plan.ts";
import { estimateJson, maySpend, previewLines } from "../bakeoff/preview.ts";
import { printMatrix } from "../bakeoff/print.ts";
import { addReportCommands } from "../bakeoff/report-command.ts";
import { type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { compileFor } from "../compile.ts";
import { addGatewayOptions, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { printJson } from "../output/json.ts";
import { fetchProposal } from "./proposals.ts";

interface Options extends BakeoffOptions, GatewayOptions {
  readonly routes?: string;
  readonly config?: string;
  readonly envFile?: string;
  readonly html?: string;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    addBakeoffOptions(command)
      .option("--routes <dir>", "folder of route bundles (default: routes)")
      .option("--config <file>", "configuration (default: modelrig.yaml where it exists)")
      .option("--env-file <file>", "file with provider keys (default: .env where it exists)")
      .option("--html <file>", "also write the report as one HTML file, the calls side by side in it")
      .option("--json", "print the report, or with --dry-run the estimate, as one JSON document");
    addGatewayOptions(command).action(run((options: Options) => bakeoff(io, options)));
    addReportCommands(command, io, run);
  },
};

/** A bake-off that is about to run, new or resumed. */
interface Prepared {
  readonly plan: BakeoffPlan;
  readonly journal: JournalPlan;
  readonly spentBefore: ReadonlyMap<string, NanoUsd>;
  readonly answerBytes?: number | undefined;
  /** Closes the file that the inputs are read from. */
  readonly close: () => void;
}

async function bakeoff(io: Io, options: Options): Promise<ExitCode> {
  const bundle = await compileFor(io, { cwd: io.cwd, routes: options.routes, config: options.config });
  const keys = environment(io, options.envFile);
  const id = options.resume ?? `bo_${uuidv7()}`;
  const files = bakeoffFiles(io, id);
  files.lock();
  try {
    return await prepareAndRun(io, options, { bundle, keys, id, files });
  } finally {
    files.close();
  }
}

interface Surroundings {
  readonly bundle: CompiledBundle;
  readonly keys: Readonly<Record<string, string>>;
  readonly id: string;
  readonly files: BakeoffFiles;
}

async function prepareAndRun(io: Io, options: Options, { bundle, keys, id, files }: Surroundings): Promise<ExitCode> {
  const registry = registryOf(readLocalRegistry(io.cwd));
  const host = (envelopes: EnvelopePort) =>
    engineHost(bundle, { environment: keys, envelopes, recorder: { record: () => undefined }, registry });
  const prepared =
    options.resume === undefined
      ? await prepareNew(io, options, bundle, files, id, host(NO_ENVELOPES).registry)
      : prepareResumed(options, bundle, files);
  const { plan, journal } = prepared;
  let began = options.resume !== undefined;
  try {
    const ports = host(NO_ENVELOPES);
    const { providers, prices } = ports;
    const estimate = estimateBakeoff(plan, {
      providers,
      prices,
      answerBytes: prepared.answerBytes,
      past: pastArms(io.cwd, plan.route.hash),
      at: new Date(),
    });
    for (const line of previewLines(plan, journal, estimate)) io.stderr.write(`${line}\n`);
    if (options.dryRun) {
      if (options.json) printJson(io, estimateJson(plan, journal, estimate));
      return EXIT.done;
    }
    requireCallable(plan, ports);
    if (!(await maySpend(io, plan, estimate, options.yes === true))) return EXIT.no;
    // Only now is it a bake-off that could be resumed.
    if (!began) files.begin(journal);
    began = true;
    const measured = await measure(io, prepared, files, host);
    files.writeReport(measured.report);
    if (options.json) printJson(io, measured.report);
    else printMatrix(io, measured.report);
    if (options.html !== undefined) await writeHtml(io, measured.report, options.html);
    return await hand(io, options, prepared, measured, files);
  } finally {
    prepared.close();
    if (!began) files.removeInputs();
  }
}

/** Nothing is called while planning. */
const NO_ENVELOPES: EnvelopePort = {
  reserve: async () => "unreachable",
  settle: () => undefined,
  release: () => undefined,
};

async function prepareNew(
  io: Io,
  options: Options,
  bundle: CompiledBundle,
  files: BakeoffFiles,
  id: string,
  registry: Parameters<typeof journalFromFlags>[3],
): Promise<Prepared> {
  const proven = options.fromProposal === undefined ? undefined : await proposalOf(io, options, options.fromProposal);
  const name = options.route ?? proven?.route ?? options.fromEvalCases;
  if (name === undefined) throw usage("--route <name> is needed");
  if (proven && name !== proven.route) throw usage(`proposal ${options.fromProposal} is about ${proven.route}`);
  const route = routeNamed(bundle, name);
  const incumbent = options.incumbent ?? (await liveVariant(io, options, route.name));
  const fresh: Fresh = { id, seed: randomInt(1_000_000), now: Date.now(), incumbent, variants: proven?.variants };
  const captures = openCaptures(io.cwd);
  try {
    const found: FoundInputs =
      options.fromEvalCases === undefined
        ? captureInputs(options, route, captures)
        : await evalCaseInputs(options, options.fromEvalCases, gatewayFrom(io, options));
    const journal = journalFromFlags(options, route, found, registry, fresh);
    writeInputs(files.inputsPath, found.inputs);
    const { inputs, close } = files.readInputs();
    const plan = planOf(journal, bundle, inputs, { done: [], doneVerdicts: [] });
    return { plan, journal, spentBefore: new Map(), answerBytes: found.answerBytes, close };
  } finally {
    captures.close();
  }
}

function prepareResumed(options: Options, bundle: CompiledBundle, files: BakeoffFiles): Prepared {
  const { plan: kept, samples, verdicts, spent } = files.readJournal();
  const journal = journalToResume(options, kept);
  const { inputs, close } = files.readInputs();
  const plan = planOf(journal, bundle, inputs, { done: samples, doneVerdicts: verdicts });
  return { plan, journal, spentBefore: spent, close };
}

async function proposalOf(io: Io, options: Options, id: string) {
  const { proposal } = await fetchProposal(gatewayFrom(io, options), id);
  const variant = "evidence" in proposal ? proposal.evidence?.variant : undefined;
  return { route: proposal.route, variants: variant === undefined ? undefined : [variant] };
}

/** Files the proposal, and says what to do next. */
async function hand(
  io: Io,
  options: Options,
  { plan, journal }: Prepared,
  { run, report }: Measured,
  files: BakeoffFiles,
): Promise<ExitCode> {
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  const mirrored = await mirror(io, options, report, journal.proposal);
  if (report.partial) say(`go on:  modelrig bakeoff --resume ${report.id}`);
  say(`report: ${files.reportPath}`);
  const exit = told(say, report, mirrored);
  if (journal.keep_outputs > 0) {
    if (mirrored.type !== "recorded") {
      say("no outputs were kept: the report did not reach a gateway");
      return EXIT.partial;
    }
    const outputs = readOutputs(files.outputsPath);
    await keepOutputs(io, gatewayFrom(io, options), { plan, run, outputs }, journal.keep_outputs);
  }
  return report.partial ? EXIT.partial : exit;
}

function told(
  say: (line: string) => void,
  report: BakeoffReport,
  mirrored: Awaited<ReturnType<typeof mirror>>,
): ExitCode {
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
