/** The keys that seal text at rest, from the Worker secret `MODELRIG_STORE_KEY`. */
import { err, type Failure, failure, ok, type Result } from "../failure/failure.ts";
import { bytesOfBase64, bytesOfHex } from "./bytes.ts";

export const STORE_KEY_VARIABLE = "MODELRIG_STORE_KEY";
/** Fewer random bytes than AES-256 has key bits would weaken it. */
const LEAST_BYTES = 32;
const HOW = `set it with \`openssl rand -base64 32 | wrangler secret put ${STORE_KEY_VARIABLE}\``;

export interface RootKey {
  /** Stored beside each sealed text. Derived from the key, which it does not reveal. */
  readonly id: string;
  /** Input of HKDF. */
  readonly material: CryptoKey;
}

export interface Keyring {
  /** Seals new texts. */
  readonly newest: RootKey;
  find(id: string): RootKey | undefined;
}

/**
 * Reads the secret: one key, or several separated by commas or white space, newest first. Each is at least 32 random
 * bytes in base64 or hexadecimal. The first seals, all of them open. Fails with code `store_key_missing` or
 * `store_key_invalid`, whose messages say what to set and quote nothing of the secret.
 */
export async function readKeyring(secret: string | undefined): Promise<Result<Keyring>> {
  const words = (secret ?? "").split(/[\s,]+/).filter((word) => word !== "");
  if (words.length === 0)
    return err(keyFailure("store_key_missing", `the secret ${STORE_KEY_VARIABLE} is not set; ${HOW}`));
  const keys: RootKey[] = [];
  for (const [index, word] of words.entries()) {
    const bytes = /^(?:[0-9a-f]{2})+$/i.test(word) ? bytesOfHex(word) : bytesOfBase64(word);
    if (bytes === undefined || bytes.length < LEAST_BYTES) {
      const what = `key ${index + 1} of ${STORE_KEY_VARIABLE} is not ${LEAST_BYTES} bytes in base64 or hexadecimal`;
      return err(keyFailure("store_key_invalid", `${what}; ${HOW}`));
    }
    keys.push(await rootKey(bytes));
  }
  const [newest = await rootKey(new Uint8Array())] = keys;
  return ok({ newest, find: (id) => keys.find((key) => key.id === id) });
}

/** A fault of the gateway's own configuration: asking again does not help. */
export function keyFailure(code: string, message: string): Failure {
  return failure("server_error", message, { code, final: true });
}

async function rootKey(bytes: Uint8Array<ArrayBuffer>): Promise<RootKey> {
  const material = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits", "deriveKey"]);
  const id = new Uint8Array(await crypto.subtle.deriveBits(hkdf("modelrig key id"), material, 64));
  return { id: Array.from(id, (byte) => byte.toString(16).padStart(2, "0")).join(""), material };
}

/** HKDF with SHA-256 (RFC 5869). The root keys are random, so no salt is needed; `purpose` separates what is derived. */
export function hkdf(purpose: string) {
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode(purpose) };
}
