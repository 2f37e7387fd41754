/** Keeps an answer before its client is told that it is complete, so that the client can refer to it at once. */
export interface KeepAnswer {
  /** Id of the answer that this one continues. */
  readonly previous: string | undefined;
  /** Returns whether it is kept. Never rejects: an answer that cannot be kept is still an answer. */
  store(answer: Readonly<Record<string, unknown>>): Promise<boolean>;
}
