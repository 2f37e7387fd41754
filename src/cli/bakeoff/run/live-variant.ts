/** Which variant serves a route live, and whether the gateway serves the route as this folder has it. */
import { getLiveVariant, liveVariantAnswer } from "../../../api/proposals.ts";
import { DEFAULT_VARIANT } from "../../../route/narrow.ts";
import type { Route } from "../../../route/route.ts";
import { CliError, type Io } from "../../command.ts";
import { type GatewayOptions, gatewayFrom } from "../../gateway-client.ts";

/** Without a gateway the route as declared. Where one is configured and cannot say, that is said and `default` taken. */
export async function liveVariant(
  io: Io,
  options: GatewayOptions,
  { name: route, hash }: Pick<Route, "name" | "hash">,
): Promise<string> {
  try {
    const gateway = gatewayFrom(io, options);
    const live = await gateway.call(getLiveVariant, {
      params: { name: route },
      reads: liveVariantAnswer.pick({ variant: true, route_hash: true }),
    });
    if (live.route_hash !== hash) {
      const [served, own] = [live.route_hash, hash].map((whole) => whole.slice(0, 12));
      io.stderr.write(`warning: the gateway serves ${route} as ${served}, this folder has ${own}\n`);
    }
    return live.variant;
  } catch (cause) {
    if (!(cause instanceof CliError) || cause.code === "cli.interrupted") throw cause;
    if (cause.code !== "gateway.no_url") {
      const why = cause.code === "gateway.http_404" ? "the gateway does not know the route" : cause.message;
      io.stderr.write(
        `warning: which variant serves ${route} could not be asked (${why}); taking ${DEFAULT_VARIANT}\n`,
      );
    }
    return DEFAULT_VARIANT;
  }
}
