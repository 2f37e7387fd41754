/** What a probe is about to do and cost, and whether to ask before it does. */
import { formatUsd } from "../../money/format.ts";
import { addUsd, type NanoUsd, nanoToUsdText } from "../../money/nano-usd.ts";
import type { ProbeTarget } from "../../probe/calls.ts";
import type { ProbeEstimate } from "../../probe/estimate.ts";
import type { Io } from "../command.ts";
import { confirm } from "../output/confirm.ts";

interface PlannedProbe {
  readonly target: ProbeTarget;
  readonly estimate: ProbeEstimate;
  /** Nothing is spent on it. */
  readonly simulated: boolean;
}

export function previewText({ target, estimate, simulated }: PlannedProbe, limit: NanoUsd): string {
  const cost = estimate.usd === undefined ? "of unknown price" : `about ${formatUsd(estimate.usd)}`;
  const money = simulated ? "nothing, it is simulated" : `${cost}, at most ${formatUsd(limit)}`;
  return `${target.provider}/${target.model}: ${estimate.calls} calls, ${money}`;
}

export function previewJson(planned: readonly PlannedProbe[], limit: NanoUsd): Record<string, unknown> {
  return {
    schema: "modelrig.probe-estimate/1",
    models: planned.map(({ target, estimate, simulated }) => ({
      ...target,
      calls: estimate.calls,
      estimated_usd: simulated ? "0" : estimate.usd === undefined ? null : nanoToUsdText(estimate.usd),
      most_usd: simulated ? "0" : nanoToUsdText(limit),
      simulated,
    })),
  };
}

/** True where it may be spent. Asked whenever anything is: a probe has no other reason than to be paid for. */
export async function mayProbe(
  io: Io,
  planned: readonly PlannedProbe[],
  limit: NanoUsd,
  yes: boolean,
): Promise<boolean> {
  const paid = planned.filter(({ simulated }) => !simulated);
  if (paid.length === 0) return true;
  const most = addUsd(...paid.map(() => limit));
  const models = paid.length === 1 ? "one model" : `${paid.length} models`;
  return await confirm(io, `Probe ${models} for at most ${formatUsd(most)}?`, { name: "--yes", granted: yes });
}
