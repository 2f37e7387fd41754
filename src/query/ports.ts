import type { Result } from "../failure/failure.ts";
import type { QueryFault } from "./fault.ts";
import type { Statement } from "./fragment.ts";

/** A value as the engine gives it; whole numbers are exact. */
export type Cell = string | number | bigint | null;
export type Rows = readonly (readonly Cell[])[];

export interface QueryRunner {
  /**
   * Runs read-only statements at once, each by itself, and answers their rows. Faults are `query_timeout` and `query_overflow`; a database
   * that is away or not ready rejects.
   */
  run(statements: readonly Statement[], limitMs: number): Promise<Result<readonly Rows[], QueryFault>>;
}
