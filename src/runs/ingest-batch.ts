/**
 * Stores a batch of events. Each item is judged separately, so that a bad one does not lose the others; existing items
 * are not written again; and the order of a batch does not matter.
 */
import type { AuditStamp } from "../identity/audit-stamp.ts";
import type { TelemetryStore } from "../telemetry/ports.ts";
import type { ArtifactSaved, KeptArtifact } from "./artifact.ts";
import { underCustody } from "./custody.ts";
import { type Grade, subjectKey } from "./grade.ts";
import type { ItemResult } from "./ingest.ts";
import { type ItemVerdict, type Placed, refused, type Sender, sortItems, subjectsIn } from "./ingest-items.ts";
import {
  type AddsTo,
  artifactAddsTo,
  endAddsTo,
  isYoung,
  linkAddsTo,
  NOT_THERE_YET,
  onlySeen,
} from "./ingest-reach.ts";
import type { ArtifactStore, GradeStore, Kept, Rows, RunStore, SettingsStore } from "./ports.ts";
import { type SubjectState, subjectStates } from "./subject.ts";

interface IngestPorts {
  readonly telemetry: Pick<TelemetryStore, "insertReported">;
  readonly runs: Pick<RunStore, "start" | "end">;
  readonly artifacts: Pick<ArtifactStore, "save" | "link">;
  readonly grades: Pick<GradeStore, "record" | "known">;
  readonly settings: Pick<SettingsStore, "get">;
}

/**
 * One result per item, in the order of the batch. All reads go out together, then all writes, one of each per kind of item
 * that is there (a key with a row scope looks again in between); rejects where the database does, after which the whole batch may be sent again.
 *
 * @param rows what the sender may see, and so grade or add to
 * @param now epoch milliseconds
 */
export async function ingestBatch(
  items: readonly unknown[],
  sender: Sender & { readonly rows: Rows },
  ports: IngestPorts,
  now: number,
): Promise<readonly ItemResult[]> {
  const sorted = sortItems(items, sender, now);
  const verdicts = new Map(sorted.verdicts);
  const graded = sorted.grades.map(({ value }) => value.subject);
  const [states, artifacts] = await Promise.all([
    subjectStates(graded, ports.grades, sender.rows, now),
    takeIn(sorted.artifacts, ports.settings, verdicts),
  ]);
  const besides = subjectsIn(sorted, artifacts);
  const grades = sorted.grades.filter(({ index, value }, at) => {
    const verdict = gradeVerdict(value, states[at] ?? "unknown", besides, sender.rows, now);
    if (verdict) verdicts.set(index, verdict);
    return verdict === undefined;
  });
  const stamp: AuditStamp = { by: sender.keyId, at: now };
  const write = async <T>(placed: readonly Placed<T>[], send: (values: readonly T[]) => Promise<readonly Kept[]>) => {
    if (placed.length === 0) return;
    const kept = await send(placed.map(({ value }) => value));
    for (const [at, { index }] of placed.entries()) verdicts.set(index, { status: kept[at] ?? "stored" });
  };
  const seen = <T>(placed: readonly Placed<T>[], addsTo: AddsTo<T>) =>
    onlySeen(placed, addsTo, { store: ports.grades, rows: sender.rows, now, verdicts });
  const steps = [
    () => [
      write(sorted.inferences, async (records) => {
        const added = await ports.telemetry.insertReported(records);
        return added.map((isNew) => (isNew ? "stored" : "duplicate"));
      }),
      write(sorted.starts, (starts) => ports.runs.start(starts, stamp)),
      write(grades, (given) => ports.grades.record(given, stamp)),
    ],
    () => [
      seen(sorted.ends, endAddsTo).then((ends) => write(ends, (values) => ports.runs.end(values, stamp))),
      seen(artifacts, artifactAddsTo).then((saved) => write(saved, (values) => ports.artifacts.save(values, stamp))),
    ],
    () => [
      seen(sorted.links, linkAddsTo).then((links) => write(links, (values) => ports.artifacts.link(values, stamp))),
    ],
  ];
  // With a row scope, writes run one after the other: an item's subject may be in the same batch and must be visible
  // first.
  if (sender.rows) for (const step of steps) await Promise.all(step());
  else await Promise.all(steps.flatMap((step) => step()));
  return items.map((_, index) => ({ index, ...(verdicts.get(index) ?? refused("invalid_item", "not an item")) }));
}

/** Returns the artifacts that may be kept, with as much content as the org's custody allows. */
async function takeIn(
  saved: readonly Placed<ArtifactSaved>[],
  store: Pick<SettingsStore, "get">,
  verdicts: Map<number, ItemVerdict>,
): Promise<readonly Placed<KeptArtifact>[]> {
  if (saved.length === 0) return [];
  const settings = await store.get();
  const kept: Placed<KeptArtifact>[] = [];
  for (const { index, value } of saved) {
    const result = await underCustody(value, settings);
    if (result.ok) kept.push({ index, value: result.artifact });
    else verdicts.set(index, refused(result.fault.code, result.fault.message));
  }
  return kept;
}

/** Returns `undefined` for an item that may be written. */
function gradeVerdict(
  grade: Grade,
  state: SubjectState,
  besides: ReadonlySet<string>,
  rows: Rows,
  now: number,
): ItemVerdict | undefined {
  if (state === "known") return undefined;
  const comesAlong = besides.has(subjectKey(grade.subject));
  // An id in the batch may also belong to another customer's row, which only the database can tell.
  if (comesAlong && rows === undefined) return undefined;
  if (comesAlong || isYoung(grade.createdAt, now) || state === "maybe_later") return NOT_THERE_YET;
  return refused("unknown_subject", `no such ${grade.subject.kind}`);
}
