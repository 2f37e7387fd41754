/** What waits to be sent to a gateway. */

export interface BufferedItem {
  readonly seq: number;
  /** JSON. */
  readonly body: string;
  /** Epoch milliseconds at which it was added. */
  readonly at: number;
  /** How often it was sent by this process. */
  readonly attempts: number;
}

interface ClaimOptions {
  readonly now: number;
  readonly mostItems: number;
  /** UTF-8 bytes of all bodies together; one larger item is taken alone. */
  readonly mostBytes: number;
}

export interface BufferCounts {
  readonly waiting: number;
  readonly bytes: number;
  readonly dead: number;
}

/** The records of one sender. Every method throws where the files cannot be read or written. */
export interface ExportBuffer {
  /** The item survives the end of the process from here on. */
  add(item: { readonly body: string; readonly at: number }): void;
  /** Oldest first, with those that ended processes of the same destination left. No item is handed out twice at a time. */
  claim(options: ClaimOptions): readonly BufferedItem[];
  /** They arrived. */
  remove(seqs: readonly number[]): void;
  /** They are to be sent again, not before `at`. */
  postpone(seqs: readonly number[], at: number): void;
  /** They will never be taken. */
  bury(seqs: readonly number[], why: { readonly code: string; readonly message: string; readonly at: number }): void;
  /** Where this sender's records go (URL and org): senders of one destination send each other's. */
  knowDestination(destination: string): void;
  counts(): BufferCounts;
  /** Deletes what is too old, then the oldest until the rest fits, of ended processes too. Answers how many went. */
  prune(limits: { readonly maxBytes: number; readonly before: number; readonly now: number }): number;
  /** What is left may be taken over by the next process. */
  close(): void;
}
