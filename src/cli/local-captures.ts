import { join } from "node:path";
import type { RetentionLimits } from "../capture/capture.ts";
import { type CaptureStore, openCaptureStore } from "../capture/capture-store.ts";
import type { CaptureSettings } from "../config/config.ts";
import { CliError, type Io } from "./command.ts";
import { stateFolder } from "./dev-state.ts";

/** Opens the captures of the project in the current folder; the folder is private to the user and ignored by git. */
export function openCaptures(io: Io): CaptureStore {
  const file = join(stateFolder(io.cwd), "captures.db");
  try {
    return openCaptureStore(file);
  } catch (cause) {
    throw new CliError("captures.unreadable", `cannot open ${file} as a database`, {
      fix: "move it away; a new one is made",
      cause,
    });
  }
}

export function retentionOf({ keepDays, maxMb }: CaptureSettings): RetentionLimits {
  return { maxAgeDays: keepDays, maxBytes: maxMb * 1024 * 1024 };
}
