import { getEvidenceSalt, recordLook } from "../../../api/bakeoffs.ts";
import type { EvidenceStore } from "../../../bakeoff/evidence/evidence-store.ts";
import { CliError, type Io } from "../../command.ts";
import { type GatewayOptions, gatewayFrom } from "../../gateway-client.ts";
import { evidenceFile } from "../files/evidence-file.ts";

/** The evidence at the gateway where one is configured, else on this machine: one history, wherever bake-offs run. */
export function evidenceStoreFor(io: Io, options: GatewayOptions): EvidenceStore {
  try {
    // What was measured is delivered even where Ctrl-C ended the bake-off.
    const gateway = gatewayFrom({ ...io, signal: new AbortController().signal }, options);
    return {
      salt: async () => (await gateway.call(getEvidenceSalt, {})).salt,
      async record(look) {
        return (await gateway.call(recordLook, { params: { route: look.route }, body: look })).looks;
      },
    };
  } catch (cause) {
    if (cause instanceof CliError && cause.code === "gateway.no_url") return evidenceFile(io.cwd);
    throw cause;
  }
}
