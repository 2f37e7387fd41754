import type { LookRecord } from "./look-record.ts";

/** Where the looks of one org are kept: at the gateway where there is one, else on this machine. */
export interface EvidenceStore {
  /** Key of the digests under which questions and customers stand; one an org, never told to anybody without its keys. */
  salt(): Promise<string>;
  /**
   * Adds a look, or continues the one of the same bake-off, and answers the looks of its route that count with it:
   * those recorded before it within the last 90 days and itself, oldest first. Two that are recorded at once are both
   * kept. Rejects where it cannot be kept: such evidence cannot propose.
   */
  record(look: LookRecord): Promise<readonly LookRecord[]>;
}
