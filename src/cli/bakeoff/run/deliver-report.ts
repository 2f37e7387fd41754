/** After a bake-off: its report goes to the gateway, which files the proposal it supports, and the next step is said. */
import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { EXIT, type ExitCode, type Io } from "../../command.ts";
import { type GatewayOptions, gatewayFrom } from "../../gateway-client.ts";
import type { BakeoffFiles } from "../files/bakeoff-files.ts";
import { readOutputs } from "../files/output-file.ts";
import { keepOutputs } from "./keep-outputs.ts";
import type { MeasuredBakeoff } from "./measure.ts";
import { type Mirrored, mirror } from "./mirror-report.ts";
import type { Prepared } from "./prepare.ts";

export async function deliverReport(
  io: Io,
  options: GatewayOptions & { readonly json?: boolean },
  { plan, journal }: Pick<Prepared, "plan" | "journal">,
  { run, report }: MeasuredBakeoff,
  files: Pick<BakeoffFiles, "reportPath" | "outputsPath">,
): Promise<ExitCode> {
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  const mirrored = await mirror(io, options, report, journal.proposal);
  if (report.partial) say(`go on:  modelrig bakeoff --resume ${report.id}`);
  say(`report: ${files.reportPath}`);
  // Beside the matrix on stdout; a JSON document stands there alone.
  const tell = options.json ? say : (line: string): void => void io.stdout.write(`${line}\n`);
  const exit = sayNextStep(say, tell, report, mirrored);
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

/** Says what was filed and what to do next; returns the exit code of it. */
export function sayNextStep(
  say: (line: string) => void,
  tell: (line: string) => void,
  report: BakeoffReport,
  mirrored: Mirrored,
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
      tell(`proposal ${mirrored.proposal.id} (${mirrored.proposal.state})`);
      if (mirrored.proposal.state === "evidenced")
        say(`next:   modelrig swap execute ${mirrored.proposal.id} --approve`);
      return EXIT.done;
  }
}
