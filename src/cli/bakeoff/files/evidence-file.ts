import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { countingLooks } from "../../../bakeoff/evidence/evidence-history.ts";
import type { EvidenceStore } from "../../../bakeoff/evidence/evidence-store.ts";
import { continues, type LookRecord, lookRecord, sameOutcomes } from "../../../bakeoff/evidence/look-record.ts";
import { stateFolder } from "../../../workspace/state-folder.ts";
import { CliError, EXIT } from "../../command.ts";

const line = z.strictObject({ schema: z.literal("modelrig.evidence/2"), look: lookRecord });

/**
 * The looks of this machine's bake-offs, a line each in `.modelrig/evidence.jsonl`; the newest line of a bake-off counts.
 * Lines are only ever added, so that two bake-offs that end at once keep both. A file that cannot be read is not
 * replaced: without what it remembers every comparison would have its first look again.
 */
export function evidenceFile(cwd: string): EvidenceStore {
  const folder = stateFolder(cwd);
  const path = join(folder, "evidence.jsonl");
  return {
    salt: async () => saltIn(join(folder, "evidence-salt")),
    async record(look) {
      const own = newestOf(read(path)).find(({ bakeoff }) => bakeoff === look.bakeoff);
      if (own && !continues(look, own)) throw new Error(`${path} has another look of ${look.bakeoff}`);
      // Recorded again unchanged it keeps its time: the same bake-off makes the same report.
      if (!own || !sameOutcomes(own, look)) append(path, look);
      const all = newestOf(read(path)).filter(({ route }) => route === look.route);
      const end = all.findIndex(({ bakeoff }) => bakeoff === look.bakeoff);
      return countingLooks(all.slice(0, end + 1), look.at);
    },
  };
}

/** The newest line of each bake-off, in the order in which bake-offs first appear. */
function newestOf(lines: readonly LookRecord[]): LookRecord[] {
  const newest = new Map<string, LookRecord>();
  for (const look of lines) newest.set(look.bakeoff, look);
  return [...newest.values()];
}

function read(path: string): LookRecord[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  // What follows the last line end was being written when the process died; it was never acknowledged.
  return lines.slice(0, -1).map((text, index) => {
    try {
      return line.parse(JSON.parse(text)).look;
    } catch (cause) {
      throw new CliError("bakeoff.evidence", `${path}:${index + 1} cannot be read`, {
        exitCode: EXIT.usage,
        fix: "restore the file; or move it away, and every comparison starts as if it had never been looked at",
        cause,
      });
    }
  });
}

function append(path: string, look: LookRecord): void {
  dropTorn(path);
  const file = openSync(path, "a", 0o600);
  try {
    writeSync(file, `${JSON.stringify({ schema: "modelrig.evidence/2", look })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Cuts off what a process that died left of its line. */
function dropTorn(path: string): void {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path);
  const whole = bytes.lastIndexOf(0x0a) + 1;
  if (whole < bytes.length) truncateSync(path, whole);
}

function saltIn(path: string): string {
  if (!existsSync(path)) {
    const drawn = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
    try {
      writeFileSync(path, drawn, { flag: "wx", mode: 0o600 });
    } catch (cause) {
      // Another bake-off drew one first.
      if (!existsSync(path)) throw cause;
    }
  }
  return readFileSync(path, "utf8");
}
