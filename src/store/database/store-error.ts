type StoreFault = "unreachable" | "unauthorized" | "busy" | "not_migrated" | "constraint" | "unexpected";

const FIX: Readonly<Record<StoreFault, string>> = {
  unreachable: "check TURSO_DATABASE_URL, and that the database runs",
  unauthorized: "check TURSO_AUTH_TOKEN",
  busy: "another writer holds the database; try again",
  not_migrated: "run `modelrig db migrate`",
  constraint: "the row is there already or breaks a rule of its table",
  unexpected: "see the cause",
};

/** A failed database call. The message contains neither the statement nor its values, because rows may be private. */
export class StoreError extends Error {
  override readonly name = "StoreError" as const;
  readonly fault: StoreFault;
  readonly fix: string;

  constructor(fault: StoreFault, message: string, cause: unknown) {
    super(message, { cause });
    this.fault = fault;
    this.fix = FIX[fault];
  }
}

/**
 * True when the database is unreachable or not ready, as opposed to refusing its input: the same call may succeed
 * later.
 */
export function isUnavailable(cause: unknown): boolean {
  return cause instanceof StoreError && cause.fault !== "constraint" && cause.fault !== "unexpected";
}

/** Awaits a query and turns any rejection into a `StoreError`. */
export async function settled<T>(query: PromiseLike<T>): Promise<T> {
  try {
    return await query;
  } catch (cause) {
    throw storeError(cause);
  }
}

export function storeError(thrown: unknown): StoreError {
  const chain = causes(thrown);
  const known = chain.find((error) => error instanceof StoreError);
  if (known) return known;
  // The outermost error, drizzle's own, quotes the statement and every value; it is not passed on.
  const root = chain.at(-1);
  const fault = chain.map(faultOf).find((found) => found !== undefined) ?? "unexpected";
  return new StoreError(fault, `${SAYS[fault]}: ${engineMessage(root)}`, root);
}

const SAYS: Readonly<Record<StoreFault, string>> = {
  unreachable: "the database cannot be reached",
  unauthorized: "the database refused the token",
  busy: "the database is locked",
  not_migrated: "the database lacks a table or column this version needs",
  constraint: "the database refused the row",
  unexpected: "the database call failed",
};

function faultOf(error: Error): StoreFault | undefined {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const status = "status" in error && typeof error.status === "number" ? error.status : undefined;
  if (status === 401 || status === 403 || code === "UNAUTHORIZED") return "unauthorized";
  if (status !== undefined) return "unreachable";
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return "busy";
  if (code.startsWith("SQLITE_CONSTRAINT")) return "constraint";
  if (/\bno such (table|column)|has no column named/.test(error.message) && !error.message.startsWith("Failed query"))
    return "not_migrated";
  if (/^(ECONN|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|EHOST|ENET|UND_ERR)/.test(code)) return "unreachable";
  if (error.name === "TimeoutError" || error.name === "AbortError") return "unreachable";
  // Node throws a TypeError; workerd a plain Error ("Network connection lost.", "internal error; reference = …").
  if (/^(fetch failed|Network connection lost|internal error; reference)|network error/i.test(error.message))
    return "unreachable";
  return undefined;
}

function causes(thrown: unknown): Error[] {
  const chain: Error[] = [];
  for (let link = thrown; link instanceof Error && chain.length < 10; link = link.cause) chain.push(link);
  return chain;
}

function engineMessage(error: Error | undefined): string {
  if (!error || error.message.startsWith("Failed query")) return "no further word";
  return error.message.slice(0, 300);
}
