/// <reference path="./liquidjs-browser.d.ts" />
import { Drop } from "liquidjs/dist/liquid.browser.mjs";
import { exactText, parseExact } from "../json/exact-numbers.ts";

/** A number that a double cannot hold, as a template sees it: printed and written as JSON with every digit. */
class ExactVariable extends Drop {
  readonly #digits: string;

  constructor(digits: string) {
    super();
    this.#digits = digits;
  }

  override valueOf(): string {
    return this.#digits;
  }

  override toString(): string {
    return this.#digits;
  }

  toJSON(): unknown {
    return parseExact(this.#digits);
  }
}

/** The variables with their exact numbers made printable; values that hold none are the same objects. */
export function withExactVariables(value: unknown): unknown {
  const digits = exactText(value);
  if (digits !== undefined) return new ExactVariable(digits);
  if (typeof value !== "object" || value === null) return value;
  let touched = false;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const next = withExactVariables(item);
    touched ||= next !== item;
    return [key, next];
  });
  if (!touched) return value;
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
