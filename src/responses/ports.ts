import type { SealedText } from "../custody/sealed-text.ts";
import type { AuditStamp } from "../identity/audit-stamp.ts";

/** What the database knows of a response without opening it. Times in epoch milliseconds. */
export interface ResponseRow {
  readonly id: string;
  /** The response that it continued. */
  readonly previous?: string | undefined;
  /** What a key must be allowed to call in order to read it: a route, or `raw:provider/model`. */
  readonly reach: string;
  readonly keyId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly sealed: SealedText;
}

/** A response that holds an output item of this id. */
export interface ItemHolder extends Pick<ResponseRow, "reach"> {
  readonly item: string;
  readonly response: string;
  /** Characters of the response's sealed text. */
  readonly length: number;
}

/** A response and those before it, newest first. */
export interface ResponseChain {
  readonly rows: readonly ResponseRow[];
  /** `whole`: the last row has no predecessor. `cut`: its predecessor is gone. `too_long`: there is more than asked for. */
  readonly end: "whole" | "cut" | "too_long";
}

/** Kept responses of one org. Nothing is read or kept while the org's custody keeps hashes only, or past the expiry. */
export interface ResponseStore {
  /**
   * Keeps a response with the ids of its output items, and lets the responses in `used` expire no earlier than it.
   * Returns false where the org's custody does not allow it.
   */
  keep(row: ResponseRow, items: readonly string[], used: readonly string[]): Promise<boolean>;
  /** Reads until the sealed texts exceed `maxLength` characters. `now` in epoch milliseconds. */
  chain(id: string, now: number, maxLength: number): Promise<ResponseChain>;
  /** Of each item and reach the newest, newest first. */
  holders(items: readonly string[], now: number): Promise<readonly ItemHolder[]>;
  some(ids: readonly string[], now: number): Promise<readonly ResponseRow[]>;
  /** Returns false where there is none. */
  delete(id: string, stamp: AuditStamp): Promise<boolean>;
  /** Whether the org's custody allows content to be kept. */
  allowed(): Promise<boolean>;
}
