/** Spend limits of calls made in this process, kept in the books of this machine. */
import { join } from "node:path";
import type { EnvelopePort } from "../../call/ports.ts";
import type { LocalEnvelopes } from "../../localdb/local-envelopes.ts";
import { stateFolder } from "../../workspace/state-folder.ts";
import { loadLocalParts } from "../local/load-local-parts.ts";
import { reasonOf, type Warnings } from "../warnings.ts";

export interface RigEnvelopes extends EnvelopePort {
  /** Waits for bills on their way. Never rejects. */
  close(): Promise<void>;
}

/** One set of books per machine and project, safe across processes. A call that cannot be booked is refused. */
export function machineEnvelopes(cwd: string, warn: Warnings, now: () => number): RigEnvelopes {
  let opened: LocalEnvelopes | undefined;
  const books = async (): Promise<LocalEnvelopes> => {
    const { openLocalEnvelopes } = await loadLocalParts();
    opened ??= openLocalEnvelopes(join(stateFolder(cwd), "envelopes.db"), now);
    return opened;
  };
  const close = (work: () => unknown): void => {
    try {
      work();
    } catch (cause) {
      warn.once("settle", `a bill could not be booked; its reservation will count whole: ${reasonOf(cause)}`);
    }
  };
  return {
    async reserve(request) {
      try {
        return (await books()).reserve(request);
      } catch (cause) {
        warn.once("reserve", `the envelopes of this machine cannot be used: ${reasonOf(cause)}`);
        return "unreachable";
      }
    },
    // What was reserved was reserved in books that are open.
    settle: (id, actual) => close(() => opened?.settle(id, actual)),
    release: (id) => close(() => opened?.release(id)),
    async close() {
      opened?.close();
    },
  };
}
