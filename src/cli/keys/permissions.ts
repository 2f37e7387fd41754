/** What the flags of `keys create` and `keys bootstrap` say a key may do. Every fault is a usage error with the way out. */
import { EVERY_LANE, EVERY_ROUTE, isReachPattern } from "../../identity/reach.ts";
import { isScope, SCOPES, type Scope } from "../../identity/scope.ts";
import { isTagName, isTagValue } from "../../intake/tag-rule.ts";
import { type NanoUsd, usdToNano } from "../../money/nano-usd.ts";
import type { NewKey } from "../../store/orgs/api-keys.ts";
import { CliError, EXIT } from "../command.ts";

export interface PermissionFlags {
  readonly scope?: readonly string[];
  readonly route?: readonly string[];
  readonly expires?: string;
  readonly usdPerMonth?: string;
  readonly tag?: readonly string[];
  readonly rows?: readonly string[];
}

export type Permissions = Omit<NewKey, "keyId" | "hash" | "display" | "label">;

const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS };
const WIDEST_SPAN_DAYS = 3_650;

/** Without `--route` a key reaches every route and no other lane; one with the scope `admin` reaches everything. */
export function permissionsOf(flags: PermissionFlags, now: number, defaultScopes: readonly Scope[]): Permissions {
  const scopes = flags.scope ? expandScopes(flags.scope.flatMap(words)) : defaultScopes;
  const rows = tagsOf("--rows", (flags.rows ?? []).map(withoutTagPrefix));
  return {
    scopes,
    routes: flags.route
      ? patternsOf(flags.route.flatMap(words))
      : scopes.includes("admin")
        ? EVERY_LANE
        : [EVERY_ROUTE],
    expiresAt: flags.expires === undefined ? undefined : expiryOf(flags.expires, now),
    monthlyLimit: flags.usdPerMonth === undefined ? undefined : limitOf(flags.usdPerMonth),
    fixedTags: tagsOf("--tag", flags.tag ?? []),
    rowScope: Object.keys(rows).length > 0 ? { tags: rows } : undefined,
  };
}

/** `admin` includes every scope, and is stored so. */
function expandScopes(names: readonly string[]): readonly Scope[] {
  const scopes = names.map((name) => {
    if (!isScope(name)) throw usage(`--scope does not know ${JSON.stringify(name)}`, `it takes ${SCOPES.join(", ")}`);
    return name;
  });
  return scopes.includes("admin") ? SCOPES : SCOPES.filter((scope) => scopes.includes(scope));
}

function patternsOf(patterns: readonly string[]): readonly string[] {
  for (const pattern of patterns) {
    if (isReachPattern(pattern)) continue;
    throw usage(
      `--route cannot read ${JSON.stringify(pattern)}`,
      "it takes a route (example.summarize), a pattern (example.*), raw:provider/* or auto",
    );
  }
  return [...new Set(patterns)];
}

/** `90d`, `12h`, `4w`, a date (its end, UTC) or an instant. */
function expiryOf(text: string, now: number): number {
  const span = /^(\d{1,5})([hdw])$/.exec(text);
  if (span) {
    const length = Number(span[1]) * (UNITS[span[2] ?? ""] ?? 0);
    if (length > 0 && length <= WIDEST_SPAN_DAYS * DAY_MS) return now + length;
  }
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const instant = Date.parse(text);
  const at = day ? instant + DAY_MS : instant;
  if (!span && /^\d{4}-/.test(text) && Number.isFinite(at) && at > now) return at;
  throw usage(
    `--expires cannot read ${JSON.stringify(text)} as a time to come`,
    "90d, 12h, 4w, 2027-01-31 or an ISO instant",
  );
}

function limitOf(text: string): NanoUsd {
  try {
    const limit = usdToNano(text);
    if (limit > 0) return limit;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  throw usage(
    `--usd-per-month cannot read ${JSON.stringify(text)}`,
    "an amount in dollars above 0, such as 25 or 0.50",
  );
}

function tagsOf(flag: string, pairs: readonly string[]): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {};
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    const key = pair.slice(0, Math.max(0, equals));
    const value = pair.slice(equals + 1);
    if (!isTagName(key) || value === "" || !isTagValue(value) || Object.hasOwn(tags, key))
      throw usage(
        `${flag} cannot read ${JSON.stringify(pair)}`,
        `name=value, each name once, e.g. ${flag} ${EXAMPLE[flag]}`,
      );
    tags[key] = value;
  }
  return tags;
}

const EXAMPLE: Readonly<Record<string, string>> = { "--tag": "client=acme", "--rows": "tag:client=acme" };

function withoutTagPrefix(row: string): string {
  if (row.startsWith("tag:")) return row.slice("tag:".length);
  throw usage(`--rows cannot read ${JSON.stringify(row)}`, "rows are told by a tag: --rows tag:client=acme");
}

/** A flag may be repeated, or hold several words with commas. */
function words(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function usage(message: string, fix: string): CliError {
  return new CliError("cli.usage", message, { exitCode: EXIT.usage, fix });
}
