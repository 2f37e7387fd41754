import type { EnvelopeAlert } from "../../durable/envelopes-client.ts";
import { nanoToUsdText } from "../../src/money/nano-usd.ts";
import { logError } from "../log.ts";

/** Logs what a person should hear of, with the reservation, the amounts and what the call was for. */
export function logAlert(org: string, alert: EnvelopeAlert): void {
  const facts = { org, reservation: alert.reservationId };
  if (alert.type === "unsettled") {
    logError("envelope unsettled", alert.error, facts);
    return;
  }
  const { type, reserved, madeFor, keyId } = alert;
  logError(`envelope ${type}`, undefined, {
    ...facts,
    reserved_usd: nanoToUsdText(reserved),
    ...(type === "overrun" && { overrun_usd: nanoToUsdText(alert.overrun) }),
    ...(type === "excess" && { excess_usd: nanoToUsdText(alert.excess) }),
    ...(madeFor && { candidate: madeFor.candidate }),
    ...(madeFor?.route !== undefined && { route: madeFor.route }),
    ...(keyId !== undefined && { key: keyId }),
  });
}
