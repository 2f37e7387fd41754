import type { ProposalKind, ProposalTrigger } from "./proposal.ts";

/** What makes two proposals the same one. */
interface ProposalSubject {
  readonly kind: ProposalKind;
  readonly trigger: ProposalTrigger;
  readonly route: string;
  /** Digest of what serves the route. A description, a name or the order of keys is not part of it. */
  readonly serves: string;
  /** Digest of what would serve instead, or the name of what the proposal is about. */
  readonly proposes: string;
  /** Swap of an earlier proposal of the same change that was taken back or abandoned: proving it again is another proposal. */
  readonly after?: string | undefined;
}

/** SHA-256, hex, of the subject's fields in a fixed order. */
export async function triggerHash({ kind, trigger, route, serves, proposes, after }: ProposalSubject): Promise<string> {
  const text = JSON.stringify([kind, trigger, route, serves, proposes, after ?? null]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
