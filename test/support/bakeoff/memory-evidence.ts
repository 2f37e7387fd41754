import { countingLooks } from "../../../src/bakeoff/evidence/evidence-history.ts";
import type { EvidenceStore } from "../../../src/bakeoff/evidence/evidence-store.ts";
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";

/** Keeps looks in `looks`; a look of the same bake-off takes the place of the one before. */
export function memoryEvidence(looks: LookRecord[] = []): EvidenceStore {
  return {
    salt: async () => "salt",
    async record(look) {
      const index = looks.findIndex(({ bakeoff }) => bakeoff === look.bakeoff);
      if (index >= 0) looks[index] = look;
      else looks.push(look);
      const end = looks.findIndex(({ bakeoff }) => bakeoff === look.bakeoff);
      return countingLooks(looks.slice(0, end + 1), look.at).filter(({ route }) => route === look.route);
    },
  };
}
