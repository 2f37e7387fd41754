/**
 * Tokens that may only read rows with one value of a tag, from the environment rather than the database:
 * `MODELRIG_QUERY_TOKENS=<sha256 or token>=<org>:tag:<name>:<value>`, several separated by `;` or line breaks. Where
 * two entries have one token, both conditions must hold.
 */
import { hashKey } from "../identity/key.ts";
import type { Principal } from "../identity/principal.ts";
import { isTagName } from "../intake/tag-rule.ts";

interface QueryToken {
  readonly hash: string;
  /** Id or slug. */
  readonly org: string;
  readonly tags: Readonly<Record<string, string>>;
}

interface ParsedQueryTokens {
  readonly tokens: readonly QueryToken[];
  /** Faults by the number of the entry; never quotes a token. A token of a faulty entry is refused. */
  readonly faults: readonly string[];
  /** Entries that contain the token itself rather than its SHA-256. */
  readonly plaintext: number;
}

// A token may end in `=`, and a tag's value may contain anything except the separators.
const ENTRY = /^(.+?)=([^:=\s]+):tag:([^:]+):(.+)$/;
const SHA256 = /^[0-9a-f]{64}$/i;

export async function parseQueryTokens(text: string): Promise<ParsedQueryTokens> {
  const entries = text
    .split(/[;\r\n]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const tokens = new Map<string, QueryToken>();
  const spoilt = new Set<string>();
  const faults: string[] = [];
  let plaintext = 0;
  for (const [index, entry] of entries.entries()) {
    const [, token = "", org = "", name = "", value = ""] = ENTRY.exec(entry) ?? [];
    if (!isTagName(name)) {
      faults.push(`entry ${index + 1} is not <sha256 or token>=<org>:tag:<name>:<value>`);
      for (const prefix of prefixes(entry)) spoilt.add(await hashOf(prefix));
      continue;
    }
    if (!SHA256.test(token)) plaintext += 1;
    const hash = await hashOf(token);
    const known = tokens.get(hash);
    if (known && (known.org !== org || (Object.hasOwn(known.tags, name) && known.tags[name] !== value))) {
      faults.push(`entry ${index + 1} contradicts an earlier entry of its token`);
      spoilt.add(hash);
    }
    tokens.set(hash, { hash, org, tags: { ...known?.tags, [name]: value } });
  }
  return { tokens: [...tokens.values()].filter(({ hash }) => !spoilt.has(hash)), faults, plaintext };
}

/** Every reading of a faulty entry's token is refused, because a broken second entry must not widen the first. */
function prefixes(entry: string): readonly string[] {
  const ends = [...entry.matchAll(/=/g)].map(({ index }) => index);
  return [entry, ...ends.map((end) => entry.slice(0, end))].filter((prefix) => prefix !== "");
}

async function hashOf(token: string): Promise<string> {
  return SHA256.test(token) ? token.toLowerCase() : await hashKey(token);
}

/** Finds the id and slug of an org by either. */
type OrgLookup = (name: string) => Promise<{ readonly id: string; readonly slug: string } | undefined>;

/** Returns the principal of a token; `undefined` for any other word. */
export class QueryTokens {
  readonly #text: string;
  readonly #lookup: OrgLookup;
  readonly #onFaults: (faults: readonly string[]) => void;
  readonly #orgs = new Map<string, { readonly id: string; readonly slug: string }>();
  #tokens: readonly QueryToken[] | undefined;

  constructor(text: string, lookup: OrgLookup, onFaults: (faults: readonly string[]) => void) {
    this.#text = text;
    this.#lookup = lookup;
    this.#onFaults = onFaults;
  }

  async find(presented: string): Promise<Principal | undefined> {
    const tokens = this.#tokens ?? (await this.#read());
    if (tokens.length === 0) return undefined;
    const hash = await hashKey(presented);
    const token = tokens.find((one) => one.hash === hash);
    const org = token && (await this.#org(token.org));
    if (!org) return undefined;
    return {
      org: org.id,
      orgSlug: org.slug,
      keyId: `query-token-${hash.slice(0, 8)}`,
      scopes: ["query"],
      routes: [],
      fixedTags: {},
      rowScope: { tags: token.tags },
    };
  }

  async #read(): Promise<readonly QueryToken[]> {
    const { tokens, faults } = await parseQueryTokens(this.#text);
    if (faults.length > 0 && !this.#tokens) this.#onFaults(faults);
    this.#tokens = tokens;
    return tokens;
  }

  async #org(name: string): Promise<{ readonly id: string; readonly slug: string } | undefined> {
    const known = this.#orgs.get(name) ?? (await this.#lookup(name));
    if (known) this.#orgs.set(name, known);
    return known;
  }
}
