/**
 * itty-durable sends arguments in a request header, which can contain Latin-1 only. Breaker calls therefore pass one
 * argument: their JSON, percent-encoded.
 */
export function toHeaderArgument(value: unknown): string {
  return encodeURIComponent(JSON.stringify(value).toWellFormed());
}

export function fromHeaderArgument<T>(argument: string): T {
  return JSON.parse(decodeURIComponent(argument)) as T;
}
