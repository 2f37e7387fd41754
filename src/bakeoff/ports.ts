import type { CallInput, CallResult } from "../call/call.ts";
import type { Inference } from "../call/inference.ts";
import type { AuditStamp } from "../identity/audit-stamp.ts";
import type { NanoUsd } from "../money/nano-usd.ts";
import type { KeptSample } from "./execution/kept-sample.ts";
import type { Sample } from "./execution/sample.ts";
import type { HostedPlan } from "./hosted/hosted-plan.ts";
import type { ExaminationStore } from "./judge/examination.ts";
import type { JudgeVerdict } from "./judge/judge-verdict.ts";
import type { PlantedVerdict } from "./judge/planted-pair.ts";
import type { BakeoffReport } from "./report/bakeoff-report.ts";

/** What a bake-off needs of its host. */
export interface BakeoffPorts {
  /** The engine, wired to this host (`executeCall`). */
  readonly execute: (input: CallInput) => Promise<CallResult>;
  /** Uniform in [0, 1), seeded: the same seed gives the same order. */
  readonly random: () => number;
  /** Called once per finished sample, before it counts anywhere else, so that a crash loses at most what is in flight. */
  readonly onSample: (sample: Sample) => void;
  /** Called before `onSample` with what came back: the host keeps it where the inputs are, and nowhere else. */
  readonly onOutput?: ((output: SampleOutput) => void) | undefined;
  /** Needed where a judge is asked. */
  readonly judge?: JudgePorts | undefined;
}

export interface SampleOutput {
  readonly input: string;
  readonly arm: string;
  /** JSON where the route has a schema, else the answer's text. */
  readonly output: unknown;
  /** The call it came from, by which a grade can name it. */
  readonly inference?: Inference | undefined;
}

export interface JudgePorts {
  /** Epoch milliseconds: which day's envelope a call draws on. */
  readonly now: () => number;
  /** As `onSample`. */
  readonly onVerdict: (verdict: JudgeVerdict) => void;
  readonly onPlanted: (verdict: PlantedVerdict) => void;
  /** Where examinations are remembered; absent = the judge is examined in each bake-off. */
  readonly examinations?: ExaminationStore | undefined;
  /** What an arm answered in an earlier, interrupted run; undefined where that was not kept. */
  readonly outputOf: (input: string, arm: string) => unknown;
}

export interface BakeoffSummary {
  readonly id: string;
  readonly route: string;
  readonly finishedAt: number;
  readonly partial: boolean;
  readonly proposes: string | undefined;
}

/** Reports of one org. */
export interface BakeoffStore {
  /** Keeps a report; a newer one of the same id takes its place. */
  put(report: BakeoffReport, stamp: AuditStamp): Promise<void>;
  get(id: string): Promise<BakeoffReport | undefined>;
  /** Newest first. */
  list(filter: { readonly route?: string | undefined; readonly limit: number }): Promise<readonly BakeoffSummary[]>;
}

export interface StoredSample extends KeptSample {
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Outputs of one bake-off that a user chose to keep. */
export interface KeptSampleStore {
  /** A newer one of the same input and arm takes the place of the older. `undefined` = there is no room for so many. */
  put(samples: readonly KeptSample[], stamp: AuditStamp): Promise<number | undefined>;
  list(): Promise<readonly StoredSample[]>;
  /** Returns how many there were. */
  delete(stamp: AuditStamp): Promise<number>;
}

/** `cancelling`: asked to stop; calls in flight are finished and a partial report is made. */
export type HostedState = "queued" | "running" | "cancelling" | "cancelled" | "done" | "failed";

/** A bake-off that runs at the edge, as it is known there. */
export interface HostedBakeoff {
  readonly id: string;
  readonly route: string;
  readonly state: HostedState;
  readonly plan: HostedPlan;
  /** Samples there will be. */
  readonly planned: number;
  /** `code: message`. */
  readonly error?: string | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Key id. */
  readonly createdBy: string;
}

export interface HostedProgress {
  readonly done: number;
  /** Known costs. */
  readonly spent: NanoUsd;
}

/** Hosted bake-offs of one org, and their samples. */
export interface HostedStore {
  /** False where there is one with this id. */
  create(bakeoff: Omit<HostedBakeoff, "state" | "error" | "createdBy">, stamp: AuditStamp): Promise<boolean>;
  get(id: string): Promise<HostedBakeoff | undefined>;
  /** False where it is in none of the states `from`. */
  move(id: string, from: readonly HostedState[], to: HostedState, more: HostedMove): Promise<boolean>;
  /** Another workflow goes on with it, from this batch. */
  handOver(id: string, from: number): Promise<void>;
  progress(id: string): Promise<HostedProgress>;
  /** Keeps a finished sample; returns the state of the bake-off, undefined where it was deleted. */
  keep(id: string, sample: Sample): Promise<HostedState | undefined>;
  /** All, or those of these inputs. */
  samples(id: string, inputs?: readonly string[]): Promise<readonly Sample[]>;
  /** Those that an envelope refused: their arms have stopped. */
  refused(id: string): Promise<readonly Sample[]>;
}

export interface HostedMove extends AuditStamp {
  readonly error?: string | undefined;
}
