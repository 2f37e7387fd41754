/** A statement that is refused or given up, with the code that clients see. */
export class StatementError extends Error {
  override readonly name = "StatementError" as const;
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
