/** The version of a bundle: equal content gives an equal hash, whatever the order of its keys. */
import { exactText } from "../json/exact-numbers.ts";

/** Returns JSON with sorted keys. `undefined` members are left out, as in JSON. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null || exactText(value) !== undefined) {
    return JSON.stringify(value) ?? "null";
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** Returns the SHA-256 of the canonical JSON, 64 hex digits. */
export async function canonicalHash(value: unknown): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonicalJson(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
