import { loadConfigFromEnv } from "../config.ts";
import { createRig } from "../rig.ts";
import type { Rig } from "../surface.ts";
import { reasonOf } from "../warnings.ts";

let shared: Rig | undefined;

/**
 * Returns the one rig of this process for observing calls made elsewhere: without routes, configured by `MODELRIG_URL` and
 * `MODELRIG_KEY`. Without a key it records and sends nothing, and clients wrapped with it stay as they are. It is closed when
 * the process has nothing else to do. Never throws: a configuration that cannot work is said once, on standard error.
 *
 * @example
 * const run = observerRig().artifacts.run.start({ pipeline: "support" });
 * run.end("succeeded");
 */
export function observerRig(): Rig {
  shared ??= openRig();
  return shared;
}

function openRig(): Rig {
  try {
    const config = loadConfigFromEnv();
    const rig = createRig({ ...config, routesDir: null, record: config.key !== undefined });
    process.once("beforeExit", () => void rig.close());
    return rig;
  } catch (cause) {
    process.stderr.write(`[modelrig] nothing is observed: ${reasonOf(cause)}\n`);
    return createRig({ routesDir: null, record: false });
  }
}
