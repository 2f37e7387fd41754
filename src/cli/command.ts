/** The contract between `main.ts` and one file per subcommand in `commands/`. */
import type { Command } from "commander";

/** Exit codes, documented in `modelrig help exit-codes`. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  /** Checked, and the answer is no (routes invalid, gate not met). */
  no: 3,
  auth: 4,
  unreachable: 5,
  /** Partial or not verified: budget reached, interrupted after results. */
  partial: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected failure of a command: what, where, and the way out. Printed without a stack. */
export class CliError extends Error {
  override readonly name = "CliError" as const;
  readonly exitCode: ExitCode;
  /** Stable dotted code, e.g. `dev.port_taken`. */
  readonly code: string;
  readonly fix: string | undefined;
  /** More about it for programs: joins `error` of a JSON document. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: string,
    message: string,
    options: {
      exitCode?: ExitCode;
      fix?: string | undefined;
      details?: Readonly<Record<string, unknown>> | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.exitCode = options.exitCode ?? EXIT.unexpected;
    this.fix = options.fix;
    this.details = options.details;
  }
}

/** The process as a command sees it; tests pass their own. Data goes to stdout, everything else to stderr. */
export interface Io {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Stdin and stderr are terminals, CI unset, no `--no-input`. */
  readonly interactive: boolean;
  /** Aborts on the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
}

/** One subcommand. `build` adds options, arguments and the action; the action resolves to an exit code. */
export interface CommandModule {
  readonly build: (command: Command, io: Io, run: RunAction) => void;
}

/** Wraps an action so that its exit code and errors reach `main.ts`. */
export type RunAction = <Args extends unknown[]>(
  action: (...args: Args) => Promise<ExitCode>,
) => (...args: Args) => Promise<void>;

export type CommandGroup = "Start" | "Prove" | "Change" | "Look";
