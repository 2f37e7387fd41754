/** A bake-off of the past: its report, and the calls behind it where they were made on this machine. */

import { existsSync, readFileSync } from "node:fs";
import { getBakeoff } from "../../../api/bakeoffs.ts";
import { type BakeoffReport, bakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { parsedJson } from "../../../json/parsed.ts";
import type { LocalSamples } from "../../../render/page/local-samples.ts";
import { CliError, EXIT, type Io } from "../../command.ts";
import { type GatewayOptions, gatewayFrom } from "../../gateway-client.ts";
import { bakeoffFiles } from "../files/bakeoff-files.ts";
import { readOutputs } from "../files/output-file.ts";

/** From this machine, else from the gateway, which knows figures only. */
export async function pastReport(io: Io, options: GatewayOptions, id: string): Promise<BakeoffReport> {
  const { reportPath, journalPath } = bakeoffFiles(io, id);
  if (existsSync(reportPath)) {
    const read = bakeoffReport.safeParse(parsedJson(readFileSync(reportPath, "utf8")));
    if (read.success) return read.data;
    throw new CliError("bakeoff.report", `${reportPath} is no report that this version can read`, {
      exitCode: EXIT.usage,
      fix: `modelrig bakeoff --resume ${id} makes it anew, and pays nothing`,
      cause: read.error,
    });
  }
  if (existsSync(journalPath)) {
    throw new CliError("bakeoff.unfinished", `bake-off ${id} has no report yet`, {
      exitCode: EXIT.usage,
      fix: `modelrig bakeoff --resume ${id}`,
    });
  }
  const found = await gatewayFrom(io, options).call(getBakeoff, { params: { id } });
  if ("schema" in found) return found;
  throw new CliError("bakeoff.unfinished", `bake-off ${id} is ${found.state} at the gateway and has no report yet`, {
    exitCode: EXIT.usage,
    fix: "ask again once it is done",
  });
}

/** `undefined` where the calls were not made here. */
export function localSamples(io: Io, id: string): LocalSamples | undefined {
  const files = bakeoffFiles(io, id);
  if (![files.journalPath, files.inputsPath].every(existsSync)) return undefined;
  const { samples, verdicts } = files.readJournal();
  const { inputs, close } = files.readInputs();
  try {
    const stored = readOutputs(files.outputsPath);
    const versions = stored.flatMap(
      ({ record }) => record?.attempts.flatMap(({ priceVersion }) => priceVersion ?? []) ?? [],
    );
    return {
      // Their texts are read while the file is open.
      inputs: inputs.map(({ id: input, at, weight, cluster, question, golden, payload }) => ({
        id: input,
        at,
        weight,
        cluster,
        question,
        golden,
        payload,
      })),
      samples,
      verdicts,
      outputs: stored.map(({ input, arm, output, record }) => ({ input, arm, output, inferenceId: record?.id })),
      priceBooks: [...new Set(versions)].sort(),
    };
  } finally {
    close();
  }
}
