/** Which run the code that is running belongs to. Every rig has its own. */
import { AsyncLocalStorage } from "node:async_hooks";

export interface AmbientRun {
  readonly id: string;
  /** Tags that calls in it inherit: its own, its subject and its feature. */
  readonly tags: Readonly<Record<string, string>>;
  /** The run around it, which takes over when it has ended. */
  readonly outer: AmbientRun | undefined;
  ended: boolean;
}

export class RunContext {
  readonly #storage = new AsyncLocalStorage<AmbientRun | undefined>();

  /** The innermost run that has not ended. */
  current(): AmbientRun | undefined {
    let run = this.#storage.getStore();
    while (run?.ended) run = run.outer;
    return run;
  }

  /** From here on, and in all that starts from here. */
  enter(run: AmbientRun): void {
    this.#storage.enterWith(run);
  }

  /** In `work`, and in all that starts there, and nowhere else. */
  within<T>(run: AmbientRun, work: () => T): T {
    return this.#storage.run(run, work);
  }
}
