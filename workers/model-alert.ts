import type { Recorder } from "../src/call/ports.ts";
import { logError } from "./log.ts";

/** Says so in the log where a provider does not know a declared model: other candidates hide it from callers. */
export function alertingRecorder(recorder: Recorder, org: string): Recorder {
  return {
    record(inference) {
      for (const { provider, model, failure } of inference.attempts) {
        if (failure?.reason === "model_not_found")
          logError("model not found", undefined, { org, provider, model, route: inference.route ?? inference.lane });
      }
      recorder.record(inference);
    },
  };
}
