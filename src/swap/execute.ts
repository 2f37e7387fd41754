import { err, failure, ok, type Result } from "../failure/failure.ts";
import { type Actor, asOf, illegal } from "../proposal/file.ts";
import type { Proposal } from "../proposal/proposal.ts";
import type { SwapStore } from "./ports.ts";
import type { Swap } from "./swap.ts";

interface PatchedFile {
  readonly path: string;
  readonly patch: string;
}

/**
 * Records an approved change with the incumbent's baseline. Nothing is served differently by it: the patch is applied
 * by a human. Executing a proposal again answers the swap there is.
 */
export async function executeSwap(
  proposal: Proposal,
  { path, patch }: PatchedFile,
  store: SwapStore,
  actor: Actor,
  newId: () => string,
): Promise<Result<Swap>> {
  const known = await store.findByProposal(proposal.id);
  if (known?.state === "reverted") return err(reverted(known));
  if (known) return ok(known);
  const current = asOf(proposal, actor.at);
  if (current.state !== "evidenced" && current.state !== "approved") return err(illegal(current, "approve"));
  const { evidence } = current;
  const swap = {
    id: newId(),
    state: "executed",
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
    executed_at: new Date(actor.at).toISOString(),
    executed_by: actor.by,
  } as const;
  const approveFrom = current.state === "evidenced" ? current.state : undefined;
  if (await store.execute({ swap, approveFrom })) return ok(swap);
  const other = await store.findByProposal(proposal.id);
  return other
    ? ok(other)
    : err(failure("bad_request", "the proposal changed meanwhile", { code: "proposal_changed" }));
}

/** What was taken back is not carried out again on the evidence that it was taken back from. */
function reverted({ id }: Swap) {
  const message = `swap ${id} of this proposal was reverted; a new bake-off files a new proposal`;
  return failure("bad_request", message, { code: "swap_reverted" });
}
