/** HTML as a template in which everything that was not built here is escaped. */

/** Markup that may stand in a page as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Html | string | number | undefined | false | readonly Part[];

/** Text, also in quoted attributes, is escaped; markup and lists of parts are taken as they are; absent parts are nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + markupOf(parts[index - 1]) + string));
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(markupOf).join("");
  return shown(String(part)).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Text so that it shows what it holds: characters that are invisible or turn the direction of the line are written out
 * as their code, and halves of a character, which no file can hold, as U+FFFD.
 */
export function shown(text: string): string {
  return text.toWellFormed().replace(HIDDEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `[U+${code}]`;
  });
}

/** Control characters except tab and line break, marks and overrides of direction, and spaces without width. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that must not reach a page
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** JSON inside a script element: no character of it can end the element. */
export function jsonMarkup(value: unknown): Html {
  return new Html(
    JSON.stringify(value)
      .toWellFormed()
      .replace(/[<>&\u2028\u2029]/g, (character) => {
        return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
      }),
  );
}
