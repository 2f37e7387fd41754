/** What a key may be used for. A closed set without a hierarchy, except that `admin` includes every other scope. */
export const SCOPES = ["call", "ingest", "grade", "query", "read", "oracle-act", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export function isScope(word: string): word is Scope {
  return (SCOPES as readonly string[]).includes(word);
}
