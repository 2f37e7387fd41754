import type { AuthHeader } from "../wire/dialect.ts";
import type { ProviderSpec } from "./provider.ts";

const BEARER: AuthHeader = { name: "authorization", value: "Bearer {key}" };

/**
 * Returns the headers of every request to a provider, by their names in lower case: its fixed ones, and the key where
 * there is one. The key is never in the URL.
 */
export function providerHeaders(
  { quirks }: Pick<ProviderSpec, "quirks">,
  apiKey: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(quirks.headers ?? {})) headers[name.toLowerCase()] = value;
  const auth = quirks.authHeader ?? BEARER;
  if (apiKey !== undefined) headers[auth.name.toLowerCase()] = auth.value.replace("{key}", () => apiKey);
  return headers;
}
