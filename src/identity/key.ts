/**
 * Keys: `rig_sk_` + 43 base-62 characters (256 random bits) + 6 check characters. The check characters distinguish a
 * typing error from an unknown key without a lookup, and let secret scanners avoid false positives.
 */
const PREFIX = "rig_sk_";
const SECRET_LENGTH = 43;
const CHECK_LENGTH = 6;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECK_LENGTH}}$`);

/** Returns a key made from 32 random bytes, which the caller takes from a cryptographic source. */
export function keyFrom(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError(`a key is made of 32 random bytes, not ${random.length}`);
  const body =
    PREFIX +
    base62(
      random.reduce((value, byte) => value * 256n + BigInt(byte), 0n),
      SECRET_LENGTH,
    );
  return body + checkOf(body);
}

/** Returns false for a key with a typing error or of another issuer, which needs no lookup. */
export function isWellFormedKey(key: string): boolean {
  return SHAPE.test(key) && checkOf(key.slice(0, -CHECK_LENGTH)) === key.slice(-CHECK_LENGTH);
}

/**
 * Returns the SHA-256 of the key in hex, the only form that is stored. It needs no salt: the key has 256 random bits.
 */
export async function hashKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the form in which a key is shown after its creation: `rig_sk_…9c4`. */
export function displayKey(key: string): string {
  return `${PREFIX}…${key.slice(-3)}`;
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = "";
  while (text.length < length) {
    text = (DIGITS[Number(rest % 62n)] ?? "") + text;
    rest /= 62n;
  }
  return text;
}

/**
 * Returns the CRC-32 (IEEE 802.3, reflected polynomial 0xEDB88320) in base 62. It detects every single wrong character.
 */
function checkOf(text: string): string {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return base62(BigInt((crc ^ 0xffffffff) >>> 0), CHECK_LENGTH);
}
