/** One bake-off on this machine, from the flags to the report. */
import { uuidv7 } from "uuidv7";
import { estimateBakeoff } from "../../../bakeoff/plan/estimate.ts";
import type { CallPorts, EnvelopePort } from "../../../call/ports.ts";
import type { RigEnvelopes } from "../../../sdk/calls/machine-envelopes.ts";
import { EXIT, type ExitCode, type Io } from "../../command.ts";
import { compileFor } from "../../compile.ts";
import { evaluationHost } from "../../evaluation-host.ts";
import type { GatewayOptions } from "../../gateway-client.ts";
import { orgEnvelopes } from "../../org-envelopes.ts";
import { printJson } from "../../output/json.ts";
import { type BakeoffFiles, bakeoffFiles } from "../files/bakeoff-files.ts";
import { examinationFile } from "../files/examination-file.ts";
import { writeHtml } from "../report/html-file.ts";
import { printMatrix } from "../report/print-matrix.ts";
import { deliverReport } from "./deliver-report.ts";
import { evidenceStoreFor } from "./gateway-evidence.ts";
import { judgeStanding } from "./judge-standing.ts";
import { measure } from "./measure.ts";
import type { BakeoffOptions } from "./options.ts";
import { pastArms } from "./past-arms.ts";
import { type Prepared, prepareNew, prepareResumed } from "./prepare.ts";
import { estimateJson, maySpend, previewLines } from "./preview.ts";
import { requireCallable } from "./require-callable.ts";

export interface BakeoffCommandOptions extends BakeoffOptions, GatewayOptions {
  readonly routes?: string;
  readonly config?: string;
  readonly envFile?: string;
  readonly html?: string;
  readonly json?: boolean;
}

export async function runHere(io: Io, options: BakeoffCommandOptions): Promise<ExitCode> {
  const bundle = await compileFor(io, { cwd: io.cwd, routes: options.routes, config: options.config });
  const evaluation = await evaluationHost(io, options, bundle);
  const host = evaluation.ports;
  const id = options.resume ?? `bo_${uuidv7()}`;
  const files = bakeoffFiles(io, id);
  files.lock();
  try {
    const prepared =
      options.resume === undefined
        ? await prepareNew(io, options, bundle, files, { id, registry: host(NO_ENVELOPES).registry })
        : prepareResumed(options, bundle, files);
    const withinOrg = (own: EnvelopePort) => orgEnvelopes(io, options, bundle.config.budget.orgPerMonth, own);
    return await runPrepared(io, options, prepared, files, host, withinOrg);
  } finally {
    await evaluation.close();
    files.close();
  }
}

type Host = (envelopes: EnvelopePort) => CallPorts;

/** Nothing is called while planning. */
const NO_ENVELOPES: EnvelopePort = {
  reserve: async () => "unreachable",
  settle: () => undefined,
  release: () => undefined,
};

async function runPrepared(
  io: Io,
  options: BakeoffCommandOptions,
  prepared: Prepared,
  files: BakeoffFiles,
  host: Host,
  withinOrg: (own: EnvelopePort) => RigEnvelopes,
): Promise<ExitCode> {
  const { plan, journal, answerBytes } = prepared;
  let began = options.resume !== undefined;
  try {
    const ports = host(NO_ENVELOPES);
    const { providers, prices } = ports;
    const past = pastArms(io.cwd, plan.route.hash);
    const examinations = examinationFile(io.cwd);
    const judge = await judgeStanding(io, plan, examinations);
    const facts = { providers, prices, answerBytes, past, at: new Date(), examination: judge.examination };
    const estimate = estimateBakeoff(plan, facts);
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
    const kept = { evidence: evidenceStoreFor(io, options), examinations, people: judge.people };
    const measured = await measure(io, prepared, files, host, withinOrg, kept);
    files.writeReport(measured.report);
    if (options.json) printJson(io, measured.report);
    else printMatrix(io, measured.report);
    if (options.html !== undefined) await writeHtml(io, measured.report, options.html);
    return await deliverReport(io, options, prepared, measured, files);
  } finally {
    prepared.close();
    if (!began) files.removeInputs();
  }
}
