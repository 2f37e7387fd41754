import type { ProposalKind, ProposalTrigger } from "./proposal.ts";

/** What makes two proposals the same one. */
export interface ProposalSubject {
  readonly kind: ProposalKind;
  readonly trigger: ProposalTrigger;
  readonly route: string;
  /** The version of the bundle it was measured on: a changed route is another question. */
  readonly routeHash: string;
  /** The variant, model or cluster the proposal is about. */
  readonly subject: string;
}

/** SHA-256, hex, of the subject's fields in a fixed order. */
export async function triggerHash({ kind, trigger, route, routeHash, subject }: ProposalSubject): Promise<string> {
  const text = JSON.stringify([kind, trigger, route, routeHash, subject]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
