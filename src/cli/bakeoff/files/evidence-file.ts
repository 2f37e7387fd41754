import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type EvidenceState, type EvidenceStore, evidenceState } from "../../../bakeoff/analysis/evidence-process.ts";
import { stateFolder } from "../../../workspace/state-folder.ts";
import { CliError, EXIT } from "../../command.ts";

const contents = z.strictObject({
  schema: z.literal("modelrig.evidence/1"),
  processes: z.record(z.string(), z.strictObject({ updated_at: z.iso.datetime(), state: evidenceState })),
});

type Contents = z.infer<typeof contents>;

/**
 * The evidence of this machine's bake-offs, `.modelrig/evidence.json`. Written whole and put in place by a rename: a
 * crash leaves the old file or the new one. A file that cannot be read is not replaced: without what it remembers every
 * comparison would have its first look again.
 */
export function evidenceFile(cwd: string): EvidenceStore {
  const path = join(stateFolder(cwd), "evidence.json");
  return {
    async load(key) {
      const { processes } = read(path);
      return Object.hasOwn(processes, key) ? processes[key]?.state : undefined;
    },
    async save(key, state, at) {
      const { processes } = read(path);
      write(path, { ...processes, [key]: { updated_at: new Date(at).toISOString(), state } });
    },
  };
}

function read(path: string): Contents {
  if (!existsSync(path)) return { schema: "modelrig.evidence/1", processes: {} };
  try {
    return contents.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new CliError("bakeoff.evidence", `${path} cannot be read`, {
      exitCode: EXIT.usage,
      fix: "restore it; or move it away, and every comparison starts as if it had never been looked at",
      cause,
    });
  }
}

function write(path: string, processes: Readonly<Record<string, { updated_at: string; state: EvidenceState }>>): void {
  const fresh = `${path}.${process.pid}.new`;
  try {
    const file = openSync(fresh, "w", 0o600);
    try {
      writeFileSync(file, `${JSON.stringify({ schema: "modelrig.evidence/1", processes })}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}
