/** Something of this project's folder that cannot be used: which, why, and the way out. */
export class WorkspaceError extends Error {
  override readonly name = "WorkspaceError" as const;
  /** Stable dotted code, e.g. `routes.not_found`. */
  readonly code: string;
  readonly fix: string | undefined;
  /** The caller named what is missing or unreadable. */
  readonly asked: boolean;

  constructor(code: string, message: string, options: { asked?: boolean; fix?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
    this.asked = options.asked ?? false;
  }
}
