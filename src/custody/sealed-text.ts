/** Text encrypted for the database: readable only with a root key, and only in the place it was sealed for. */
import { err, ok, type Result } from "../failure/failure.ts";
import { base64OfBytes, bytesOfBase64 } from "./bytes.ts";
import { hkdf, type Keyring, keyFailure, type RootKey, STORE_KEY_VARIABLE } from "./keyring.ts";

export interface SealedText {
  /** Id of the root key. */
  readonly key: string;
  /** Base64 of nonce, ciphertext and tag. */
  readonly text: string;
}

/** What the text is, whose, and its id in the database. A text moved to another place cannot be opened there. */
export interface SealedPlace {
  readonly kind: "response";
  readonly org: string;
  readonly id: string;
}

/** As AES-GCM wants it (NIST SP 800-38D, 8.2). */
const NONCE_BYTES = 12;

/** AES-256-GCM under a key of the org's own, derived from the newest root key. */
export async function sealText(text: string, place: SealedPlace, keyring: Keyring): Promise<SealedText> {
  const { newest } = keyring;
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const key = await orgKey(newest, place);
  const sealed = new Uint8Array(await crypto.subtle.encrypt(aesGcm(nonce, place), key, new TextEncoder().encode(text)));
  const bytes = new Uint8Array(NONCE_BYTES + sealed.length);
  bytes.set(nonce);
  bytes.set(sealed, NONCE_BYTES);
  return { key: newest.id, text: base64OfBytes(bytes) };
}

/**
 * Returns the text. Fails with code `store_key_unknown` where the keyring lacks its key, and with `sealed_text_invalid`
 * where the text was changed or belongs to another place.
 */
export async function openSealed(sealed: SealedText, place: SealedPlace, keyring: Keyring): Promise<Result<string>> {
  const root = keyring.find(sealed.key);
  if (!root) {
    const what = `a kept ${place.kind} was sealed with the key ${sealed.key}, which ${STORE_KEY_VARIABLE} does not hold`;
    return err(keyFailure("store_key_unknown", `${what}; add that key after the newest one, separated by a comma`));
  }
  const bytes = bytesOfBase64(sealed.text);
  if (bytes === undefined || bytes.length < NONCE_BYTES) return err(invalid(place));
  try {
    const algorithm = aesGcm(bytes.subarray(0, NONCE_BYTES), place);
    const plain = await crypto.subtle.decrypt(algorithm, await orgKey(root, place), bytes.subarray(NONCE_BYTES));
    return ok(new TextDecoder().decode(plain));
  } catch {
    // Web Crypto tells only that the tag does not fit.
    return err(invalid(place));
  }
}

function invalid({ kind, id }: SealedPlace) {
  return keyFailure("sealed_text_invalid", `the kept ${kind} ${id} cannot be opened: it was changed in the database`);
}

function aesGcm(iv: Uint8Array<ArrayBuffer>, { kind, org, id }: SealedPlace) {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(JSON.stringify([kind, org, id])) };
}

function orgKey({ material }: RootKey, { kind, org }: SealedPlace): Promise<CryptoKey> {
  const algorithm = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey(hkdf(`modelrig ${kind} ${org}`), material, algorithm, false, ["encrypt", "decrypt"]);
}
