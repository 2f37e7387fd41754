/** The formats of the standard, as the library for Workers checks them. */
import { format as checks } from "@cfworker/json-schema";

/** Formats outside the standard are notes and accept everything, as do those without a check. */
export function formatAccepts(format: string, text: string): boolean {
  if (!Object.hasOwn(checks, format) || NOT_OF_THE_STANDARD.includes(format)) return true;
  return checks[format]?.(text) !== false;
}

const NOT_OF_THE_STANDARD = ["url", "json-pointer-uri-fragment"];
