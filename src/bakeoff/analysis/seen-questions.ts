/**
 * The inputs that an e-process has taken in, four bytes each: the 32-bit FNV-1a hash of their ids. Two that collide
 * (one pair in four billion) cost a new input its vote, whatever its outcome; they never count one twice.
 */
export class SeenQuestions {
  readonly #hashes: Set<number>;

  private constructor(hashes: Set<number>) {
    this.#hashes = hashes;
  }

  /** From what `text` answered; empty text = none. */
  static from(text: string): SeenQuestions {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    const hashes = new Set<number>();
    for (let offset = 0; offset + 4 <= bytes.length; offset += 4) hashes.add(view.getUint32(offset));
    return new SeenQuestions(hashes);
  }

  has(input: string): boolean {
    return this.#hashes.has(fnv1a(input));
  }

  add(input: string): void {
    this.#hashes.add(fnv1a(input));
  }

  /** Base64 of the sorted hashes: equal sets give equal text. */
  text(): string {
    const view = new DataView(new ArrayBuffer(this.#hashes.size * 4));
    [...this.#hashes]
      .sort((a, b) => a - b)
      .forEach((hash, index) => {
        view.setUint32(index * 4, hash);
      });
    let binary = "";
    for (let offset = 0; offset < view.byteLength; offset += 1) binary += String.fromCharCode(view.getUint8(offset));
    return btoa(binary);
  }
}

/** Fowler, Noll and Vo's hash of the text's UTF-16 units, 1a, 32 bits (RFC 9923). */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
