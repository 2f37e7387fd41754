/** Checks the subjects of a batch's items: a key with a row scope adds nothing to rows that it does not see. */
import type { ArtifactLink, KeptArtifact } from "./artifact.ts";
import { type SubjectRef, subjectKey } from "./grade.ts";
import { type ItemVerdict, type Placed, refused } from "./ingest-items.ts";
import type { GradeStore, Rows } from "./ports.ts";
import type { RunEnd } from "./run.ts";
import { ARRIVES_WITHIN_MS } from "./subject.ts";

/** Subjects that must all be visible, and when the item was made, epoch milliseconds. */
export type AddsTo<T> = (value: T) => { readonly subjects: readonly SubjectRef[]; readonly at: number };

export const endAddsTo: AddsTo<RunEnd> = ({ id, endedAt }) => ({ subjects: [{ kind: "run", id }], at: endedAt });

export const artifactAddsTo: AddsTo<KeptArtifact> = ({ run, inference, createdAt }) => ({
  subjects: [
    ...(run === undefined ? [] : [{ kind: "run" as const, id: run }]),
    ...(inference === undefined ? [] : [{ kind: "inference" as const, id: inference }]),
  ],
  at: createdAt,
});

export const linkAddsTo: AddsTo<ArtifactLink> = ({ artifact, source, createdAt }) => ({
  subjects: [artifact, source].map((id) => ({ kind: "artifact", id })),
  at: createdAt,
});

export const NOT_THERE_YET: ItemVerdict = {
  status: "later",
  code: "unknown_subject",
  message: "its subject is not there yet; send it again",
};

/** True of an item made so recently that its subject may be in a later batch. */
export function isYoung(at: number, now: number): boolean {
  return Math.abs(now - at) < ARRIVES_WITHIN_MS;
}

/** Returns the items that may be written, after one query; the others get their result. */
export async function onlySeen<T>(
  placed: readonly Placed<T>[],
  addsTo: AddsTo<T>,
  {
    store,
    rows,
    now,
    verdicts,
  }: {
    readonly store: Pick<GradeStore, "known">;
    readonly rows: Rows;
    readonly now: number;
    readonly verdicts: Map<number, ItemVerdict>;
  },
): Promise<readonly Placed<T>[]> {
  if (rows === undefined || placed.length === 0) return placed;
  const known = await store.known(
    placed.flatMap(({ value }) => addsTo(value).subjects),
    rows,
  );
  return placed.filter(({ index, value }) => {
    const { subjects, at } = addsTo(value);
    if (subjects.length === 0)
      verdicts.set(index, refused("run_required", "its key sees only certain rows: name its run"));
    else if (subjects.every((subject) => known.has(subjectKey(subject)))) return true;
    else
      verdicts.set(
        index,
        isYoung(at, now) ? NOT_THERE_YET : refused("unknown_subject", "no such run, call or artifact"),
      );
    return false;
  });
}
