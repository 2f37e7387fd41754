/**
 * Takes a batch of things that happened. Each item is judged alone, so that a bad one never loses the others; what is
 * there already is not written again; and the order of a batch does not matter.
 */
import type { TelemetrySink } from "../telemetry/ports.ts";
import type { ArtifactSaved, KeptArtifact } from "./artifact.ts";
import { underCustody } from "./custody.ts";
import { type Grade, subjectKey } from "./grade.ts";
import type { ItemResult } from "./ingest.ts";
import { type Placed, refused, type Sender, sortItems, subjectsIn, type Verdict } from "./ingest-items.ts";
import type { ArtifactStore, Deed, GradeStore, Kept, Rows, RunStore, SettingsStore } from "./ports.ts";
import { ARRIVES_WITHIN_MS, type SubjectState, subjectStates } from "./subject.ts";

export interface IngestPorts {
  readonly telemetry: Pick<TelemetrySink, "insertInferences">;
  readonly inferences: { existing(ids: readonly string[]): Promise<ReadonlySet<string>> };
  readonly runs: Pick<RunStore, "start" | "end">;
  readonly artifacts: Pick<ArtifactStore, "save" | "link">;
  readonly grades: Pick<GradeStore, "record" | "known">;
  readonly settings: Pick<SettingsStore, "get">;
}

/**
 * One result per item, in the order of the batch. All reads go out together, then all writes, one of each per kind of item
 * that is there; rejects where the database does, after which the whole batch may be sent again.
 *
 * @param rows what the sender may grade
 * @param now epoch milliseconds
 */
export async function ingestBatch(
  items: readonly unknown[],
  sender: Sender & { readonly rows: Rows },
  ports: IngestPorts,
  now: number,
): Promise<readonly ItemResult[]> {
  const sorted = sortItems(items, sender);
  const verdicts = new Map(sorted.verdicts);
  const graded = sorted.grades.map(({ value }) => value.subject);
  const [there, states, artifacts] = await Promise.all([
    ports.inferences.existing(sorted.inferences.map(({ value }) => value.id)),
    subjectStates(graded, ports.grades, sender.rows, now),
    takeIn(sorted.artifacts, ports.settings, verdicts),
  ]);
  const besides = subjectsIn(sorted, artifacts);
  const grades = sorted.grades.filter(({ index, value }, at) => {
    const verdict = gradeVerdict(value, states[at] ?? "unknown", besides, sender.rows, now);
    if (verdict) verdicts.set(index, verdict);
    return verdict === undefined;
  });
  await writeAll([
    written(sorted.inferences, verdicts, async (records) => {
      await ports.telemetry.insertInferences(records);
      return records.map(({ id }) => (there.has(id) ? "duplicate" : "stored"));
    }),
    ...writesOf({ ...sorted, artifacts, grades }, verdicts, ports, { by: sender.keyId, at: now }),
  ]);
  return items.map((_, index) => ({ index, ...(verdicts.get(index) ?? { status: "stored" as const }) }));
}
