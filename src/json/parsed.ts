/** The value of a JSON text, or undefined where it is none: for whoever checks the shape anyway and reports that. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
