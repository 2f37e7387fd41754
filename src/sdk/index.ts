/** The package `modelrig`. */
export type { ArtifactApi, ArtifactRef, ArtifactType, LinkRelation, PromoteOptions, SaveOptions } from "./artifacts.ts";
export { loadConfigFromEnv, type RigConfig } from "./config.ts";
export {
  type AttemptSummary,
  type FailedCall,
  type FailureClass,
  type FailureReason,
  RigConfigError,
  RigError,
} from "./errors.ts";
export type { GradeOptions, GradeSubject } from "./grades.ts";
export type { MarkOptions } from "./marks.ts";
export type { RawMessage, RawOptions } from "./raw.ts";
export type { RecordCallInput, RecordedCallRef, RecordedUsage } from "./record-call.ts";
export type { ReplayOptions, ReplaySample } from "./replay.ts";
export type { RunMeta, RunResult } from "./result.ts";
export { createRig } from "./rig.ts";
export type { Rig, RunOptions } from "./rig-calls.ts";
export type { RouteBundle } from "./routes.ts";
export type { RunApi, RunEndStatus, RunHandle, RunStartOptions } from "./runs.ts";
export type { RigStream } from "./stream.ts";
