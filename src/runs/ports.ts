/** What this folder needs of a database. Implemented in `src/store`, wired by the roots. */
import type { AuditStamp } from "../identity/audit-stamp.ts";
import type { RowScope } from "../identity/principal.ts";
import type { ArtifactLink, KeptArtifact, Withheld } from "./artifact.ts";
import type { ArtifactType } from "./artifact-words.ts";
import type { OrgSettings } from "./custody.ts";
import type { EvalCase } from "./eval-case.ts";
import type { Grade, SubjectRef } from "./grade.ts";
import type { Run, RunEnd, RunStart, RunStatus, RunStep } from "./run.ts";

/** Answer to one item of a batch, in the order of the batch. `duplicate`: it was there; nothing changed. */
export type Kept = "stored" | "duplicate";

/**
 * Rows that a reader may see; `undefined` = all of the org. Must always be given, so that a key's row scope is not
 * forgotten. Rows without tags are seen through the run and the inference they belong to, and not at all without
 * either.
 */
export type Rows = RowScope | undefined;

export interface RunFilter {
  readonly pipeline?: string | undefined;
  readonly environment?: string | undefined;
  readonly subject?: string | undefined;
  readonly feature?: string | undefined;
  readonly episodeKey?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Of the start, epoch milliseconds, inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
  /** Only runs after this one in the list. */
  readonly after?: { readonly startedAt: number; readonly id: string } | undefined;
  readonly limit: number;
}

export interface RunStore {
  /** Completes a run known only from its calls; fields of a first start stay. One round trip. */
  start(runs: readonly RunStart[], stamp: AuditStamp): Promise<readonly Kept[]>;
  /** The first end stays. The end of an unknown run is kept too, because its start may arrive later. One round trip. */
  end(ends: readonly RunEnd[], stamp: AuditStamp): Promise<readonly Kept[]>;
  get(id: string, rows: Rows): Promise<Run | undefined>;
  /** Newest first. */
  list(filter: RunFilter, rows: Rows): Promise<readonly Run[]>;
  /** The run's calls by step, in order of their first call; those without a step together, last. */
  steps(run: string, rows: Rows): Promise<readonly RunStep[]>;
}

/** Everything except the content, which may be large. */
export interface ArtifactHead {
  readonly id: string;
  readonly run?: string | undefined;
  readonly step?: string | undefined;
  readonly name: string;
  readonly type: ArtifactType;
  readonly task?: string | undefined;
  readonly inference?: string | undefined;
  readonly conformant?: boolean | undefined;
  readonly hash: string;
  readonly bytes: number;
  readonly json: boolean;
  /** Absent = the content is kept. */
  readonly withheld?: Withheld | undefined;
  readonly createdAt: number;
}

export interface StoredArtifact extends ArtifactHead {
  readonly content?: string | undefined;
}

export interface ArtifactStore {
  /** Also creates the runs that the artifacts name. One round trip. */
  save(artifacts: readonly KeptArtifact[], stamp: AuditStamp): Promise<readonly Kept[]>;
  /** Either end may still be unknown. One round trip. */
  link(links: readonly ArtifactLink[], stamp: AuditStamp): Promise<readonly Kept[]>;
  get(id: string, rows: Rows): Promise<StoredArtifact | undefined>;
  /** Oldest first, at most `MOST_ARTIFACTS_SHOWN`. */
  ofRun(run: string, rows: Rows): Promise<readonly ArtifactHead[]>;
  /** Links that begin or end at one of these. */
  linksOf(artifacts: readonly string[], rows: Rows): Promise<readonly ArtifactLink[]>;
  /** Inputs and prompts from which this one was derived, over any number of links, nearest first. */
  origins(id: string, rows: Rows): Promise<readonly Origin[]>;
}

export interface Origin {
  readonly artifact: StoredArtifact;
  /** Links in between. */
  readonly distance: number;
}

export const MOST_ARTIFACTS_SHOWN = 1_000;

export interface GradeStore {
  /** Does not check subjects: see `subject.ts`. One round trip. */
  record(grades: readonly Grade[], stamp: AuditStamp): Promise<readonly Kept[]>;
  /**
   * On the run (by id or episode key), its inferences and its artifacts; newest first, those on the run before all
   * others.
   */
  ofRun(run: Pick<Run, "id" | "episodeKey">, rows: Rows): Promise<readonly Grade[]>;
  of(subject: SubjectRef, rows: Rows): Promise<readonly Grade[]>;
  /** Returns which of these exist, in the form of `subjectKey`. One round trip. */
  known(subjects: readonly SubjectRef[], rows: Rows): Promise<ReadonlySet<string>>;
}

export const MOST_GRADES_SHOWN = 1_000;

export interface EvalCaseFilter {
  readonly task?: string | undefined;
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined;
  /** Includes archived ones. */
  readonly archived?: boolean | undefined;
  readonly limit: number;
}

/** Goldens have no tags and belong to the whole org: callers refuse keys with a row scope. */
export interface EvalCaseStore {
  insert(evalCase: EvalCase, stamp: AuditStamp): Promise<Kept>;
  get(id: string): Promise<EvalCase | undefined>;
  /** Returns those of these ids that exist, archived ones included, in no order. */
  withIds(ids: readonly string[]): Promise<readonly EvalCase[]>;
  /** Newest first. */
  list(filter: EvalCaseFilter): Promise<readonly EvalCase[]>;
  /** Keeps the case, but bake-offs no longer use it. Returns false where there is no such case. */
  archive(id: string, stamp: AuditStamp): Promise<boolean>;
}

export interface SettingsStore {
  get(): Promise<OrgSettings>;
  put(settings: OrgSettings, stamp: AuditStamp): Promise<void>;
}
