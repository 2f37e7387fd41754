import { recordBakeoff } from "../../../api/bakeoffs.ts";
import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { CliError, type Io } from "../../command.ts";
import { type GatewayOptions, gatewayFrom } from "../../gateway-client.ts";

export type Mirrored =
  | { readonly type: "recorded"; readonly proposal: { readonly id: string; readonly state: string } | null }
  | { readonly type: "no_gateway" }
  | { readonly type: "failed"; readonly error: CliError };

/**
 * Sends the report, which holds figures only, to the gateway, which files the proposal it supports, or attaches the
 * evidence to the proposal that the bake-off was made for.
 */
export async function mirror(
  io: Io,
  options: GatewayOptions,
  report: BakeoffReport,
  provenProposal: string | undefined,
): Promise<Mirrored> {
  try {
    const gateway = gatewayFrom({ ...io, signal: new AbortController().signal }, options);
    const query = { proposal: provenProposal };
    const { proposal } = await gateway.call(recordBakeoff, { query, body: report });
    return { type: "recorded", proposal };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    return cause.code === "gateway.no_url" ? { type: "no_gateway" } : { type: "failed", error: cause };
  }
}
