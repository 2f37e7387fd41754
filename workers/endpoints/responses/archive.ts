import type { ResponsesStoreSettings } from "../../../src/config/config.ts";
import { type Keyring, readKeyring } from "../../../src/custody/keyring.ts";
import type { Failure } from "../../../src/failure/failure.ts";
import { mayCall } from "../../../src/identity/reach.ts";
import { ResponseArchive } from "../../../src/responses/archive.ts";
import type { Caller } from "../../calls/call-access.ts";
import { HttpFault } from "../../http/fault.ts";
import { logError } from "../../log.ts";
import type { Runtime } from "../../runtime.ts";

/** Read once per isolate and configuration. */
const keyrings = new WeakMap<Runtime, Keyring>();

/** The kept responses as the caller's key may see them. Throws 500 where the secret is missing or unreadable. */
export async function archiveFor(
  { runtime, principal }: Pick<Caller, "runtime" | "principal">,
  { ttlMs }: ResponsesStoreSettings,
): Promise<ResponseArchive> {
  const keyring = keyrings.get(runtime) ?? (await newKeyring(runtime));
  keyrings.set(runtime, keyring);
  return new ResponseArchive({
    store: (await runtime.openStore()).forOrg(principal.org).responses,
    keyring,
    org: principal.org,
    reaches: (reach) => mayCall(principal, reach),
    ttlMs,
    mostContext: runtime.config.limits.bodyBytes,
    now: runtime.now,
  });
}

async function newKeyring({ storeKey }: Runtime): Promise<Keyring> {
  const read = await readKeyring(storeKey);
  if (!read.ok) throw archiveFault(read.error);
  return read.value;
}

/** 500 where the gateway's keys are at fault, else the status that the failure names, or 400. */
export function archiveFault(reason: Failure): HttpFault {
  if (reason.class !== "server_error") return new HttpFault(reason.status ?? 400, reason);
  logError("kept responses cannot be used", undefined, { code: reason.code ?? reason.class, message: reason.message });
  return new HttpFault(500, reason, { "x-should-retry": "false" });
}
