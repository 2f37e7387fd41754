/** Sorts the items of a batch that pass their own rules by kind. */
import type { z } from "zod";
import { hasHappened } from "../intake/fields.ts";
import { MOST_TAGS } from "../intake/tag-rule.ts";
import type { InferenceRecord } from "../record/inference-record.ts";
import type { ArtifactLink, ArtifactSaved, KeptArtifact } from "./artifact.ts";
import { type Grade, type SubjectRef, subjectKey } from "./grade.ts";
import { type IngestItem, type ItemResult, ingestItem } from "./ingest.ts";
import type { RunEnd, RunStart } from "./run.ts";

/** The sender of the batch. Org and key in an item are ignored. */
export interface Sender {
  readonly org: string;
  readonly keyId: string;
  /** Tags that override those of inferences and runs. */
  readonly fixedTags: Readonly<Record<string, string>>;
}

/** An item and its position in the batch. */
export interface Placed<T> {
  readonly index: number;
  readonly value: T;
}

export type ItemVerdict = Omit<ItemResult, "index">;

interface SortedItems {
  readonly inferences: readonly Placed<InferenceRecord>[];
  readonly starts: readonly Placed<RunStart>[];
  readonly ends: readonly Placed<RunEnd>[];
  readonly artifacts: readonly Placed<ArtifactSaved>[];
  readonly links: readonly Placed<ArtifactLink>[];
  readonly grades: readonly Placed<Grade>[];
  /** Results of items that are not written, by their position. */
  readonly verdicts: ReadonlyMap<number, ItemVerdict>;
}

/** Of two items of one kind with one id, the second is the duplicate. */
export function sortItems(items: readonly unknown[], sender: Sender, now: number): SortedItems {
  const sorted: Lists = { inferences: [], starts: [], ends: [], artifacts: [], links: [], grades: [] };
  const verdicts = new Map<number, ItemVerdict>();
  const seen = new Set<string>();
  for (const [index, raw] of items.entries()) {
    const parsed = ingestItem.safeParse(raw);
    const owned = parsed.success ? (early(parsed.data, now) ?? ownedBy(sender, parsed.data)) : invalid(parsed.error);
    if ("status" in owned) {
      verdicts.set(index, owned);
      continue;
    }
    const identity = identityOf(owned);
    if (seen.has(identity)) verdicts.set(index, { status: "duplicate" });
    else place(sorted, index, owned);
    seen.add(identity);
  }
  return { ...sorted, verdicts };
}

/** Subjects of the same batch that a grade may name: they exist once the batch is stored. */
export function subjectsIn(
  sorted: Pick<SortedItems, "inferences" | "starts" | "ends">,
  artifacts: readonly Placed<KeptArtifact>[],
): ReadonlySet<string> {
  const run = (id: string | null | undefined): SubjectRef[] => (id ? [{ kind: "run", id }] : []);
  const subjects: SubjectRef[] = [
    ...sorted.inferences.flatMap(({ value }) => [{ kind: "inference" as const, id: value.id }, ...run(value.run)]),
    ...sorted.starts.flatMap(({ value }) => [...run(value.id), ...run(value.episodeKey)]),
    ...sorted.ends.flatMap(({ value }) => run(value.id)),
    ...artifacts.flatMap(({ value }) => [{ kind: "artifact" as const, id: value.id }, ...run(value.run)]),
  ];
  return new Set(subjects.map(subjectKey));
}

type Lists = {
  -readonly [Kind in Exclude<keyof SortedItems, "verdicts">]: SortedItems[Kind][number][];
};

function place(sorted: Lists, index: number, item: IngestItem): void {
  switch (item.type) {
    case "inference":
      sorted.inferences.push({ index, value: item.inference });
      return;
    case "run_start":
      sorted.starts.push({ index, value: item.run });
      return;
    case "run_end":
      sorted.ends.push({ index, value: item.run });
      return;
    case "artifact":
      sorted.artifacts.push({ index, value: item.artifact });
      return;
    case "link":
      sorted.links.push({ index, value: item.link });
      return;
    case "grade":
      sorted.grades.push({ index, value: item.grade });
      return;
  }
}

/** Refuses items dated ahead of their arrival, which would stay at the top of every list until then. */
function early(item: IngestItem, now: number): ItemVerdict | undefined {
  const at = timesOf(item).find((time) => !hasHappened(time, now));
  return at === undefined
    ? undefined
    : refused("invalid_item", "it is dated more than a day ahead of the gateway's clock");
}

function timesOf(item: IngestItem): readonly number[] {
  switch (item.type) {
    case "inference":
      return [item.inference.startedAt, ...item.inference.attempts.map(({ startedAt }) => startedAt)];
    case "run_start":
      return [item.run.startedAt];
    case "run_end":
      return [item.run.endedAt];
    case "artifact":
      return [item.artifact.createdAt];
    case "link":
      return [item.link.createdAt];
    case "grade":
      return [item.grade.createdAt];
  }
}

function identityOf(item: IngestItem): string {
  switch (item.type) {
    case "inference":
      return `inference ${item.inference.id}`;
    case "run_start":
    case "run_end":
      return `${item.type} ${item.run.id}`;
    case "artifact":
      return `artifact ${item.artifact.id}`;
    case "link":
      return `link ${item.link.artifact} ${item.link.source} ${item.link.relation}`;
    case "grade":
      return `grade ${item.grade.id}`;
  }
}

function ownedBy(sender: Sender, item: IngestItem): IngestItem | ItemVerdict {
  const tagged = item.type === "inference" ? item.inference : item.type === "run_start" ? item.run : undefined;
  const tags = { ...tagged?.tags, ...sender.fixedTags };
  if (Object.keys(tags).length > MOST_TAGS) {
    return refused("too_many_tags", `with the tags its key fixes, it has more than ${MOST_TAGS}`);
  }
  switch (item.type) {
    case "inference":
      return { ...item, inference: { ...item.inference, org: sender.org, keyId: sender.keyId, tags } };
    case "run_start":
      return { ...item, run: { ...item.run, tags } };
    default:
      return item;
  }
}

/** Names the field and the rule, never the value, because an item may contain anything. */
function invalid(error: z.ZodError): ItemVerdict {
  const [issue] = error.issues;
  const where = issue?.path.join(".") ?? "";
  const said = issue?.code === "unrecognized_keys" ? "holds a key that is not known" : (issue?.message ?? "invalid");
  return refused("invalid_item", where === "" ? said : `${where}: ${said}`);
}

export function refused(code: string, message: string): ItemVerdict {
  return { status: "refused", code, message };
}
