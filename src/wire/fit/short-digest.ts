/** Twelve letters and digits that depend on all of `text`; not for secrets. The same text gives the same digest for ever. */
export function shortDigest(text: string): string {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ (code + index), 0x85ebca6b);
    low ^= low >>> 13;
  }
  return base62(high) + base62(low);
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Six digits of 32 bits. */
function base62(bits: number): string {
  let rest = bits >>> 0;
  let text = "";
  for (let digit = 0; digit < 6; digit += 1) {
    text = (DIGITS[rest % 62] ?? "0") + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
