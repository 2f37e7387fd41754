/**
 * Checks whether the subject of a grade exists. Telemetry is written after the answer, so a caller that grades a call
 * at once is ahead of its record: an id that this gateway made moments ago may still arrive.
 */
import { type SubjectRef, subjectKey } from "./grade.ts";
import type { GradeStore, Rows } from "./ports.ts";

/** `maybe_later`: missing, but made so recently that it may still arrive. */
export type SubjectState = "known" | "maybe_later" | "unknown";

/** How long after its id was made an inference may still arrive, milliseconds. */
export const ARRIVES_WITHIN_MS = 120_000;
/** Largest difference of clocks of two hosts, milliseconds. */
const CLOCK_SKEW_MS = 10_000;
const WAITS_MS = [150, 350, 500, 1_000, 1_000] as const;

/** `inf_` and a UUID of version 7 in hex, of which the first 12 digits are the epoch milliseconds. */
const OWN_INFERENCE = /^inf_([0-9a-f]{12})7[0-9a-f]{19}$/;

/** Returns results in the order of `subjects`, with one query for all of them. */
export async function subjectStates(
  subjects: readonly SubjectRef[],
  store: Pick<GradeStore, "known">,
  rows: Rows,
  now: number,
): Promise<readonly SubjectState[]> {
  const known = await store.known(subjects, rows);
  return subjects.map((subject) => {
    if (known.has(subjectKey(subject))) return "known";
    return mayArrive(subject, now) ? "maybe_later" : "unknown";
  });
}

/** The same for one subject, repeated for three seconds while it may arrive. */
export async function awaitSubject(
  subject: SubjectRef,
  store: Pick<GradeStore, "known">,
  rows: Rows,
  clock: { readonly now: () => number; readonly sleep: (ms: number) => Promise<void> },
): Promise<SubjectState> {
  const look = async () => (await subjectStates([subject], store, rows, clock.now()))[0] ?? "unknown";
  let state = await look();
  for (const ms of WAITS_MS) {
    if (state !== "maybe_later") break;
    await clock.sleep(ms);
    state = await look();
  }
  return state;
}

function mayArrive({ kind, id }: SubjectRef, now: number): boolean {
  const made = kind === "inference" ? OWN_INFERENCE.exec(id)?.[1] : undefined;
  if (made === undefined) return false;
  const age = now - Number.parseInt(made, 16);
  return age >= -CLOCK_SKEW_MS && age < ARRIVES_WITHIN_MS;
}
