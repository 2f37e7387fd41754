/** The package `modelrig`. */

export type { ArtifactType, LinkRelation } from "../runs/artifact-words.ts";
export type { RouteBundle } from "./calls/bundle.ts";
export type { RawMessage, RawOptions } from "./calls/raw.ts";
export type { ReplayOptions, ReplaySample } from "./calls/replay-sample.ts";
export type { RunMeta, RunResult } from "./calls/result.ts";
export type { RigStream } from "./calls/stream.ts";
export { loadConfigFromEnv, type RigConfig } from "./config.ts";
export {
  type AttemptSummary,
  type FailedCall,
  type FailureClass,
  type FailureReason,
  RigConfigError,
  RigError,
} from "./errors.ts";
export type { MarkOptions } from "./marks.ts";
export type {
  ArtifactApi,
  ArtifactRef,
  PromoteOptions,
  SaveOptions,
} from "./records/artifact-api.ts";
export type { RecordCallInput, RecordedCallRef, RecordedUsage } from "./records/call-report.ts";
export type { GradeOptions, GradeSubject } from "./records/grade.ts";
export type { RunApi, RunEndStatus, RunHandle, RunStartOptions } from "./records/run-api.ts";
export { createRig } from "./rig.ts";
export type { Rig, RunOptions } from "./surface.ts";
export { type AiSdkMiddleware, type AiSdkModel, aiSdkMiddleware } from "./wrap/ai-sdk-middleware.ts";
export { type LangchainHandler, langchainHandler } from "./wrap/langchain-handler.ts";
export { observerRig } from "./wrap/observer-rig.ts";
export { wrapAnthropic } from "./wrap/wrap-anthropic.ts";
export { wrapGemini } from "./wrap/wrap-gemini.ts";
export { wrapOpenAI } from "./wrap/wrap-openai.ts";
export type { WrapOptions } from "./wrap/wrap-options.ts";
