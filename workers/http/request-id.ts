/** The header in which Anthropic's clients look for an id, for what is no inference: a refusal, a count. */
export function requestIdHeader(): { readonly "request-id": string } {
  return { "request-id": `req_${crypto.randomUUID().replaceAll("-", "")}` };
}
