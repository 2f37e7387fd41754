import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { missingKeys } from "../../provider/missing-keys.ts";
import { providerTable } from "../../provider/table.ts";
import { bufferCounts } from "../../sdk/export/journal-buffer.ts";
import { compileFolder } from "../../workspace/compile-folder.ts";
import { WorkspaceError } from "../../workspace/workspace-error.ts";
import { about, type Finding } from "./finding.ts";

/** Below this the command line does not run; the SDK does from 20. */
const NEEDED_NODE = [22, 12] as const;

export function checkNode(version: string): Finding {
  const { ok, fail } = about("node");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1]);
  return enough
    ? ok("node.version", version)
    : fail("node.version", `${version} is too old`, `install Node ${NEEDED_NODE.join(".")} or newer`);
}

/** Routes and configuration of the folder; provider keys too, where the gateway itself did not tell. */
export async function checkRoutes(
  cwd: string,
  variables: Readonly<Record<string, string | undefined>> | undefined,
): Promise<readonly Finding[]> {
  const { ok, warn, fail, skip } = about("routes");
  try {
    const { result } = await compileFolder({ cwd });
    if (!result.ok) {
      const [first] = result.error;
      const where = first ? `: ${first.file}${first.line === undefined ? "" : `:${first.line}`} ${first.message}` : "";
      return [fail("routes.invalid", `${result.error.length} faults${where}`, "modelrig routes check")];
    }
    const { routes, config } = result.value;
    if (routes.length === 0) return [skip("no routes in this folder")];
    const findings: Finding[] = [ok("routes.valid", `${routes.length} compile`)];
    if (result.warnings.length > 0)
      findings.push(warn("routes.warnings", `${result.warnings.length} warnings`, "modelrig routes check"));
    if (config.sim)
      findings.push(
        about("sim").warn(
          "sim.configured",
          "modelrig.yaml says sim: true, so a deployed gateway would serve simulated answers",
          "remove it; `modelrig dev` simulates without it",
        ),
      );
    if (variables) {
      const { variables: missing } = missingKeys(routes, providerTable(config), (name) => Boolean(variables[name]));
      findings.push(
        ...missing.map(({ name, routes: needing }) =>
          about("providers").warn(
            "providers.key_missing_here",
            `${name} is not set here, needed by ${needing.length} ${needing.length === 1 ? "route" : "routes"}`,
            `set it in .env; for the Worker: wrangler secret put ${name}`,
          ),
        ),
      );
    }
    return findings;
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    return [fail(cause.code, cause.message, cause.fix ?? "make the folder readable")];
  }
}

/** Prompts and answers are in there: nobody else on this machine may read them. */
export function checkStateFolder(cwd: string): Finding {
  const { ok, fail, skip } = about("captures");
  const folder = join(cwd, ".modelrig");
  if (!existsSync(folder)) return skip("no .modelrig folder here yet");
  if (process.platform === "win32") return skip("no file modes on this system");
  const mode = statSync(folder).mode & 0o777;
  if ((mode & 0o077) !== 0)
    return fail(
      "captures.permissions",
      `.modelrig is readable by others (mode ${mode.toString(8)})`,
      "chmod 700 .modelrig",
    );
  if (!existsSync(join(folder, ".gitignore")))
    return fail(
      "captures.not_ignored",
      ".modelrig has no .gitignore, so captures may be committed",
      'echo "*" > .modelrig/.gitignore',
    );
  return ok("captures.private", ".modelrig is private to you and ignored by git");
}

/** More than this, and nobody sends it. */
const MANY_WAITING = 10_000;

/** Records of the SDK that wait on this disk for the gateway. */
export function checkBuffer(cwd: string): Finding {
  const { ok, warn, fail, skip } = about("buffer");
  const folder = join(cwd, ".modelrig", "buffer");
  if (!existsSync(folder)) return skip("the SDK has not recorded here");
  try {
    const { waiting, bytes, dead } = bufferCounts(folder);
    const size = `${waiting} records, ${(bytes / 1024 / 1024).toFixed(1)} MB`;
    if (dead > 0)
      return warn(
        "buffer.refused",
        `the gateway refused ${dead} records; ${size} wait`,
        `see ${join(folder, "dead.jsonl")}: code and message say why`,
      );
    if (waiting > MANY_WAITING)
      return warn(
        "buffer.backlog",
        `${size} wait to be sent`,
        "is the process that records still running, and its gateway reachable?",
      );
    return ok("buffer.sent", waiting === 0 ? "nothing waits to be sent" : `${size} wait to be sent`);
  } catch (cause) {
    return fail(
      "buffer.unreadable",
      `cannot read ${folder}: ${cause instanceof Error ? cause.message : cause}`,
      "move it away; a new one is made",
    );
  }
}
