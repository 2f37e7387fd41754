/** One word of a POSIX shell command, whatever is in it. The only place where a shell word is quoted. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line to copy. */
export function shellCommand(...words: readonly string[]): string {
  return words.map((word) => (/^[A-Za-z0-9_./:=@-]+$/.test(word) ? word : shellQuote(word))).join(" ");
}
