/** First characters, in base64, of the file types that models read. */
const SIGNATURES: readonly (readonly [prefix: string, mediaType: string])[] = [
  ["/9j/", "image/jpeg"],
  ["iVBORw0KGgo", "image/png"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["JVBERi0", "application/pdf"],
];

/**
 * The media type that base64 data really has. Clients label screenshots by their file name, and providers refuse bytes
 * that do not match their label. Undefined where the bytes are of no known type: then the label stands.
 */
export function sniffMediaType(base64: string): string | undefined {
  return SIGNATURES.find(([prefix]) => base64.startsWith(prefix))?.[1];
}
