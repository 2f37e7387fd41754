import type { FailureClass, FailureReason } from "./failure.ts";

/** One kind of provider error. Every condition that is given must hold; the first row that matches decides. */
export interface ClassificationRow {
  /** Names the error for readers of the table. */
  readonly kind: string;
  readonly provider?: readonly string[];
  /** Status of the answer, or the one a 200 carries as its error code; 200 where it carries none. */
  readonly status?: readonly number[];
  /** The structured code or type. */
  readonly word?: RegExp;
  /** One of the structured details, `key:value`. */
  readonly detail?: RegExp;
  readonly param?: RegExp;
  /** Opening words of the message. Never a number, because upstreams echo ids and counts of the request. */
  readonly message?: RegExp;
  readonly class: FailureClass;
  readonly reason?: FailureReason;
}

/** Statuses that blame the request, and 200 for an error inside a stream. */
export const CALLER: readonly number[] = [200, 400, 404, 422];

/** Matches a structured word that is one of these, in any case. */
export function words(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join("|")})$`, "i");
}

/** Matches a message that begins with one of these. */
export function opening(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join("|")})`, "i");
}
