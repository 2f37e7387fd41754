export const QUERY_FAULT_CODES = [
  "query_syntax",
  "query_table",
  "query_column",
  /** A literal, aggregate or comparison that does not fit the column's type. */
  "query_type",
  /** Grouping and aggregates that cannot be combined. */
  "query_grouping",
  "query_timezone",
  /** The query is larger than allowed. */
  "query_limit",
  /** The key's row scope cannot be applied. */
  "query_scope",
  "query_timeout",
  "query_overflow",
] as const;
type QueryFaultCode = (typeof QUERY_FAULT_CODES)[number];

/** Why a query is refused, and where in its text. */
export interface QueryFault {
  readonly code: QueryFaultCode;
  readonly message: string;
  /** Offset of the part at fault, in UTF-16 units from 0, and its length; 0 and 0 where no part is. */
  readonly position: number;
  readonly length: number;
  /** What is expected there. */
  readonly expected: readonly string[];
  /** What was found there; shortened. */
  readonly found: string;
  readonly hint?: string | undefined;
}

export interface Span {
  readonly position: number;
  readonly length: number;
}

export type FaultDetails = Partial<Pick<QueryFault, "expected" | "found" | "hint">>;

/** A fault without a place in the text. */
export function faultWithout(code: QueryFaultCode, message: string, { hint }: Pick<FaultDetails, "hint">): QueryFault {
  return { code, message, position: 0, length: 0, expected: [], found: "", hint };
}

/** Carries a fault from anywhere in the parser or planner to `planQuery`, the only place that catches it. */
export class QueryRefusal extends Error {
  override readonly name = "QueryRefusal" as const;
  readonly fault: QueryFault;

  constructor(code: QueryFaultCode, message: string, { position, length }: Span, details: FaultDetails = {}) {
    super(message);
    const { expected = [], found = "", hint } = details;
    this.fault = { code, message, position, length, expected, found: shortened(found), hint };
  }
}

const LONGEST_FOUND = 40;

function shortened(text: string): string {
  return text.length > LONGEST_FOUND ? `${text.slice(0, LONGEST_FOUND).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** Returns `did you mean …?` for the nearest of the known words; undefined where none is near. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const asked = word.toLowerCase().slice(0, LONGEST_FOUND);
  const most = asked.length <= 4 ? 1 : 2;
  const near = [...known]
    .map((name) => ({ name, distance: distanceOf(asked, name) }))
    .filter(({ name, distance }) => distance <= most || (asked.length >= 3 && name.includes(asked)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
  return near.length === 0 ? undefined : `did you mean ${near.join(", ")}?`;
}

/**
 * Returns the number of edits between two words: insertions, deletions, replacements and swaps of neighbours (Damerau
 * 1964).
 */
function distanceOf(from: string, to: string): number {
  let older: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
          ? (older[column - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      next.push(
        Math.min((last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + same, swapped),
      );
    }
    older = last;
    last = next;
  }
  return last[to.length] ?? 0;
}
