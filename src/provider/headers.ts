import type { AuthHeader } from "../wire/dialect.ts";
import type { ProviderSpec } from "./provider.ts";

const BEARER: AuthHeader = { name: "authorization", value: "Bearer {key}" };

/** Headers every request to a provider carries: its fixed ones, and the key where there is one. Never in the URL. */
export function providerHeaders({ quirks }: Pick<ProviderSpec, "quirks">, apiKey: string | undefined): Headers {
  const headers = new Headers(quirks.headers);
  const auth = quirks.authHeader ?? BEARER;
  if (apiKey !== undefined)
    headers.set(
      auth.name,
      auth.value.replace("{key}", () => apiKey),
    );
  return headers;
}
