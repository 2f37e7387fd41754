/** Warnings of a rig: one line each, and the same one not again. */

export interface Warnings {
  readonly say: (message: string) => void;
  /** Says the first of each kind. */
  readonly once: (kind: string, message: string) => void;
}

export function warnings(onWarning: ((message: string) => void) | undefined): Warnings {
  const said = new Set<string>();
  const say = (message: string): void => {
    try {
      if (onWarning) onWarning(message);
      else process.stderr.write(`[modelrig] ${message}\n`);
    } catch {
      // A listener that throws must not end the caller's pipeline.
    }
  };
  return {
    say,
    once(kind, message) {
      if (said.has(kind)) return;
      said.add(kind);
      say(message);
    },
  };
}

export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
