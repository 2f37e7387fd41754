import { err, failure, ok, type Result } from "../failure/failure.ts";
import { type Actor, asOf, illegal } from "../proposal/file.ts";
import type { Proposal } from "../proposal/proposal.ts";
import type { SwapStore } from "./ports.ts";
import type { Swap, SwapPromise } from "./swap.ts";

interface PatchedFile {
  readonly path: string;
  readonly patch: string;
  readonly promised: SwapPromise;
}

/**
 * Records an approved change with the incumbent's baseline. Nothing is served differently by it: the patch is applied
 * by a human, and the swap serves once the gateway does. Approving a proposal again answers the swap there is.
 */
export async function approveSwap(
  proposal: Proposal,
  { path, patch, promised }: PatchedFile,
  store: SwapStore,
  actor: Actor,
  newId: () => string,
): Promise<Result<Swap>> {
  const known = await store.findByProposal(proposal.id);
  if (known?.state === "reverted" || known?.state === "abandoned") return err(closed(known));
  if (known) return ok(known);
  const current = asOf(proposal, actor.at);
  if (current.state !== "evidenced" && current.state !== "approved") return err(illegal(current, "approve"));
  const { evidence } = current;
  const swap = {
    id: newId(),
    state: "approved",
    proposal: proposal.id,
    route: proposal.route,
    variant: evidence.variant,
    direction: evidence.swap_direction,
    baseline: {
      bakeoff: evidence.bakeoff,
      measured_at: evidence.measured_at,
      route_hash: evidence.route_hash,
      incumbent: evidence.incumbent,
    },
    path,
    patch,
    promised,
    approved_at: new Date(actor.at).toISOString(),
    approved_by: actor.by,
  } as const;
  const approveFrom = current.state === "evidenced" ? current.state : undefined;
  if (await store.approve({ swap, approveFrom })) return ok(swap);
  const other = await store.findByProposal(proposal.id);
  return other
    ? ok(other)
    : err(failure("bad_request", "the proposal changed meanwhile", { code: "proposal_changed" }));
}

/** What was taken back or abandoned is not carried out on the evidence it rested on. */
function closed({ id, state }: Swap) {
  const message = `swap ${id} of this proposal is ${state}; a new bake-off files a new proposal`;
  return failure("bad_request", message, { code: `swap_${state}` });
}
