/**
 * Answers the messages of concurrent callers in one turn of the event loop and one transaction, so that they share one
 * commit: storing to disk is by far the slowest step of a message.
 */
export class GroupCommit<Message, Answer> {
  readonly #storage: DurableObjectStorage;
  readonly #answer: (messages: readonly Message[]) => readonly Answer[];
  #waiting: Caller<Message, Answer>[] = [];

  constructor(storage: DurableObjectStorage, answer: (messages: readonly Message[]) => readonly Answer[]) {
    this.#storage = storage;
    this.#answer = answer;
  }

  /** Resolves with one answer per message. Rejects where the transaction failed, which undoes all of it. */
  run(messages: readonly Message[]): Promise<readonly Answer[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ messages, resolve, reject });
      if (this.#waiting.length === 1) setTimeout(() => this.#drain(), 0);
    });
  }

  #drain(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const all = waiting.flatMap(({ messages }) => messages);
      const answers = this.#storage.transactionSync(() => this.#answer(all));
      let at = 0;
      for (const { messages, resolve } of waiting) {
        resolve(answers.slice(at, at + messages.length));
        at += messages.length;
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

interface Caller<Message, Answer> {
  readonly messages: readonly Message[];
  readonly resolve: (answers: readonly Answer[]) => void;
  readonly reject: (error: unknown) => void;
}
