/** The report of a bake-off as one HTML file. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { bakeoffPage } from "../../../render/page/page.ts";
import { CliError, EXIT, type Io } from "../../command.ts";
import { storedGrades } from "../files/grade-file.ts";
import { pageScript } from "./page-script.ts";
import { localSamples } from "./past-report.ts";

interface HtmlOptions {
  /** Leaves out every text of a call: such a file may be passed on. */
  readonly figuresOnly?: boolean | undefined;
  readonly pairs?: number | undefined;
}

/** Readable by its owner only, for it may hold texts of calls; says which it is. */
export async function writeHtml(io: Io, report: BakeoffReport, file: string, options: HtmlOptions = {}): Promise<void> {
  const local = options.figuresOnly ? undefined : localSamples(io, report.id);
  const given = storedGrades(io, report.id).at(-1);
  const page = await bakeoffPage(report, { script: pageScript(), local, mostPairs: options.pairs, given });
  const path = resolve(io.cwd, file);
  try {
    writeFileSync(path, page, { mode: 0o600 });
  } catch (cause) {
    throw new CliError("bakeoff.html", `cannot write ${path}`, { exitCode: EXIT.usage, cause });
  }
  const holds = local ? "holds inputs and outputs of your calls; --figures-only leaves them out" : "figures only";
  io.stderr.write(`html:   ${path}  (${Math.ceil(page.length / 1024)} KiB, ${holds})\n`);
}
