import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * A sum of nano-dollars as text, in two parts: the engine's own sum ends with an error above 2^63, and the client rounds
 * or refuses above 2^53. Read it with `nanoSumOf`.
 */
export function nanoSum(column: SQLWrapper): SQL<string | null> {
  return sql<string | null>`sum(${column} / 1000000000) || ' ' || sum(${column} % 1000000000)`;
}

/** Returns the exact sum that `nanoSum` selected; `undefined` where no row had a value. */
export function nanoSumOf(selected: string | null): bigint | undefined {
  if (selected === null) return undefined;
  const [dollars = "0", nano = "0"] = selected.split(" ");
  return BigInt(dollars) * 1_000_000_000n + BigInt(nano);
}
