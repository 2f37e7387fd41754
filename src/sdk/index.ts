/** The package `modelrig`. */
export type {
  ArtifactApi,
  ArtifactRef,
  ArtifactType,
  LinkRelation,
  PromoteOptions,
  SaveOptions,
} from "./artifact-api.ts";
export type { RouteBundle } from "./bundle.ts";
export { loadConfigFromEnv, type RigConfig } from "./config.ts";
export {
  type AttemptSummary,
  type FailedCall,
  type FailureClass,
  type FailureReason,
  RigConfigError,
  RigError,
} from "./errors.ts";
export type { GradeOptions, GradeSubject } from "./grade.ts";
export type { MarkOptions } from "./marks.ts";
export type { RawMessage, RawOptions } from "./raw.ts";
export type { RecordCallInput, RecordedCallRef, RecordedUsage } from "./recorded-call.ts";
export type { ReplayOptions, ReplaySample } from "./replay-sample.ts";
export type { RunMeta, RunResult } from "./result.ts";
export { createRig } from "./rig.ts";
export type { RunApi, RunEndStatus, RunHandle, RunStartOptions } from "./run-api.ts";
export type { RigStream } from "./stream.ts";
export type { Rig, RunOptions } from "./surface.ts";
