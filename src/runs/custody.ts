import { type ArtifactSaved, type KeptArtifact, LARGEST_ARTIFACT, type Withheld } from "./artifact.ts";

/** What an org allows the control plane to keep of artifacts. */
export const CUSTODIES = ["hash", "content"] as const;
export type Custody = (typeof CUSTODIES)[number];

export interface OrgSettings {
  /** `hash`: only a hash and a size of each artifact are kept. `content`: its text too, up to `artifactMaxBytes`. */
  readonly custody: Custody;
  readonly artifactMaxBytes: number;
  /** Days for which raw telemetry is kept; absent = for ever. Rollups stay. */
  readonly retentionDays?: number | undefined;
}

/** No text of a call is kept until an admin allows it. */
export const DEFAULT_SETTINGS: OrgSettings = { custody: "hash", artifactMaxBytes: 262_144 };

/** Why an artifact cannot be accepted. */
interface ArtifactFault {
  readonly code: "hash_required" | "hash_mismatch" | "not_json";
  readonly message: string;
}

type CustodyResult =
  | { readonly ok: true; readonly artifact: KeptArtifact }
  | { readonly ok: false; readonly fault: ArtifactFault };

/**
 * Returns what is kept of an artifact under an org's settings. Hash and size are computed wherever the content is sent;
 * the settings decide whether the content stays, and where it does not the artifact contains the reason.
 */
export async function underCustody(
  { content, hash, bytes, ...rest }: ArtifactSaved,
  settings: OrgSettings,
): Promise<CustodyResult> {
  if (content === undefined) {
    if (hash === undefined || bytes === undefined) {
      return refused("hash_required", "an artifact without content needs its hash (SHA-256, hex) and bytes");
    }
    return { ok: true, artifact: { ...rest, hash, bytes, withheld: "not_sent" } };
  }
  const text = content.toWellFormed();
  if (rest.json && !isJson(text)) return refused("not_json", "json is true, but the content is not JSON");
  const encoded = new TextEncoder().encode(text);
  const found = { hash: await sha256(encoded), bytes: encoded.length };
  if ((hash ?? found.hash) !== found.hash || (bytes ?? found.bytes) !== found.bytes) {
    return refused("hash_mismatch", "hash or bytes are not those of the content's UTF-8");
  }
  const withheld = withheldBy(settings, text, found.bytes);
  return { ok: true, artifact: { ...rest, ...found, ...(withheld ? { withheld } : { content: text }) } };
}

function withheldBy({ custody, artifactMaxBytes }: OrgSettings, text: string, bytes: number): Withheld | undefined {
  if (custody === "hash") return "custody";
  // The engine ends a text at this character and would return less than was stored.
  if (text.includes("\0")) return "not_text";
  return bytes > Math.min(artifactMaxBytes, LARGEST_ARTIFACT) ? "too_large" : undefined;
}

function refused(code: ArtifactFault["code"], message: string): CustodyResult {
  return { ok: false, fault: { code, message } };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function sha256(bytes: ReturnType<TextEncoder["encode"]>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
