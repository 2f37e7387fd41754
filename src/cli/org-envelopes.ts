/** The org's month under calls that a command makes in this process: at the gateway where one is configured, else in this machine's books. */
import { gatewayClient } from "../api/client.ts";
import type { EnvelopePort } from "../call/ports.ts";
import type { EnvelopeClaim } from "../envelope/envelope.ts";
import { envelopeClaim } from "../envelope/period.ts";
import type { NanoUsd } from "../money/nano-usd.ts";
import { gatewayEnvelopes } from "../sdk/calls/gateway-envelopes.ts";
import { machineEnvelopes, type RigEnvelopes } from "../sdk/calls/machine-envelopes.ts";
import { warnings } from "../sdk/warnings.ts";
import type { Io } from "./command.ts";
import { configuredGateway, type GatewayOptions } from "./gateway-client.ts";

/**
 * Every reservation of `own` is also held in the org's month. A gateway sets that limit itself, and one that cannot be
 * reached refuses the call; without a gateway it is `budget.org_usd_per_month` of the configuration, for all processes of
 * this machine together.
 */
export function orgEnvelopes(
  io: Io,
  options: GatewayOptions,
  orgPerMonth: NanoUsd | undefined,
  own: EnvelopePort,
): RigEnvelopes {
  const warn = warnings((message) => io.stderr.write(`${message}\n`));
  const gateway = configuredGateway(io, options);
  if (!gateway && orgPerMonth === undefined) return { ...own, close: async () => undefined };
  const org = gateway
    ? gatewayEnvelopes(gatewayClient({ url: gateway.url, key: gateway.key, fetch: (request) => fetch(request) }), warn)
    : machineEnvelopes(io.cwd, warn, Date.now);
  const claims = (): EnvelopeClaim[] =>
    gateway || orgPerMonth === undefined ? [] : [envelopeClaim("org-month", [], orgPerMonth, Date.now())];
  return {
    async reserve(request) {
      const held = await own.reserve(request);
      if (held === "unreachable" || !held.granted) return held;
      const month = await org.reserve({ ...request, claims: claims() });
      if (month === "unreachable" || !month.granted) own.release(request.reservationId);
      return month;
    },
    settle(id, actual) {
      own.settle(id, actual);
      org.settle(id, actual);
    },
    release(id) {
      own.release(id);
      org.release(id);
    },
    close: () => org.close(),
  };
}
