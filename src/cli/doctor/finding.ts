import type { ExitCode } from "../command.ts";

/** A skip is never ok: what the check needs was not there. */
export type FindingStatus = "ok" | "warn" | "fail" | "skip";

/** What one check found. */
export interface Finding {
  /** Stable dotted code, e.g. `key.malformed`. */
  readonly code: string;
  readonly status: FindingStatus;
  /** What was looked at, one word. */
  readonly subject: string;
  readonly evidence: string;
  /** The way out, for a failure or a warning. */
  readonly fix?: string | undefined;
  /** Exit code of a failure where it is not 3. */
  readonly exit?: ExitCode | undefined;
}

/** Findings of one subject, so that its name is written once. */
export function about(subject: string) {
  return {
    ok: (code: string, evidence: string): Finding => ({ code, status: "ok", subject, evidence }),
    warn: (code: string, evidence: string, fix: string): Finding => ({ code, status: "warn", subject, evidence, fix }),
    fail: (code: string, evidence: string, fix: string, exit?: ExitCode): Finding => ({
      code,
      status: "fail",
      subject,
      evidence,
      fix,
      exit,
    }),
    skip: (why: string): Finding => ({ code: `${subject}.skipped`, status: "skip", subject, evidence: why }),
  };
}
