import type { CompiledBundle } from "../config/config.ts";
import { compileFolder } from "../workspace/compile-folder.ts";
import { CliError, EXIT, type Io } from "./command.ts";
import { printFaults } from "./output/faults.ts";

/** The compiled bundle of a project, its faults printed. Throws a `CliError` with exit 3 where it is invalid. */
export async function compileFor(
  io: Io,
  project: { readonly cwd: string; readonly routes?: string | undefined; readonly config?: string | undefined },
): Promise<CompiledBundle> {
  const { result, texts } = await compileFolder(project);
  printFaults(io, result.ok ? result.warnings : result.error, texts);
  if (result.ok) return result.value;
  throw new CliError("routes.invalid", "the routes or the configuration are invalid", {
    exitCode: EXIT.no,
    fix: "mend what is listed above; `modelrig routes check` shows it again",
  });
}
