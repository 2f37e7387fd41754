import { join } from "node:path";
import type { RetentionLimits } from "../capture/capture.ts";
import { type CaptureStore, openCaptureStore } from "../capture/capture-store.ts";
import type { CaptureSettings } from "../config/config.ts";
import { stateFolder } from "./state-folder.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** Opens the captures of the project in a folder; their own folder is private to the user and ignored by git. */
export function openCaptures(cwd: string): CaptureStore {
  const file = join(stateFolder(cwd), "captures.db");
  try {
    return openCaptureStore(file);
  } catch (cause) {
    throw new WorkspaceError("captures.unreadable", `cannot open ${file} as a database`, {
      fix: "move it away; a new one is made",
      cause,
    });
  }
}

export function retentionOf({ keepDays, maxMb }: CaptureSettings): RetentionLimits {
  return { maxAgeDays: keepDays, maxBytes: maxMb * 1024 * 1024 };
}
