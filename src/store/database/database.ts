import { type Client, createClient } from "@libsql/client/web";
import type { LibSQLDatabase } from "drizzle-orm/libsql/driver-core";
import { drizzle } from "drizzle-orm/libsql/web";

export interface Connection {
  /** `libsql://`, `https://` or, for the local server, `http://127.0.0.1:…`. */
  readonly url: string;
  readonly authToken?: string | undefined;
  /** Longest duration of one round trip, milliseconds. Default 15 000. */
  readonly timeoutMs?: number | undefined;
}

export type Database = LibSQLDatabase & { readonly $client: Client };

/** Returns a database without opening a connection: every query is a separate HTTP request. */
export function connect({ url, authToken, timeoutMs = 15_000 }: Connection): Database {
  const client = createClient({
    url,
    ...(authToken !== undefined && { authToken }),
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  });
  return drizzle(client);
}
