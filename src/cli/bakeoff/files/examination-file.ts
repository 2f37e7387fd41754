import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type ExaminationStore, examinationReport } from "../../../bakeoff/judge/examination.ts";
import { parsedJson } from "../../../json/parsed.ts";
import { stateFolder } from "../../../workspace/state-folder.ts";
import { CliError, EXIT } from "../../command.ts";

const kept = z.strictObject({
  schema: z.literal("modelrig.examinations/1"),
  /** The newest of each subject. */
  examinations: z.record(z.string(), examinationReport),
});

/** Examinations of judges on this machine, in `.modelrig/examinations.json`. */
export function examinationFile(cwd: string): ExaminationStore {
  const path = join(stateFolder(cwd), "examinations.json");
  return {
    find: async (subject) => read(path)[subject],
    async keep(subject, examination) {
      const examinations = { ...read(path), [subject]: examination };
      // In place by a rename: a crash leaves the old file or the new one.
      const beside = `${path}.${process.pid}.new`;
      writeFileSync(beside, `${JSON.stringify({ schema: "modelrig.examinations/1", examinations }, null, 2)}\n`, {
        mode: 0o600,
      });
      renameSync(beside, path);
    },
  };
}

function read(path: string): z.infer<typeof kept>["examinations"] {
  if (!existsSync(path)) return {};
  const found = kept.safeParse(parsedJson(readFileSync(path, "utf8")));
  if (found.success) return found.data.examinations;
  throw new CliError("bakeoff.examinations", `${path} cannot be read`, {
    exitCode: EXIT.usage,
    fix: "move it away: judges are then examined again",
    cause: found.error,
  });
}
