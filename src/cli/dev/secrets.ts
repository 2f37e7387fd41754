import type { CompiledBundle } from "../../config/config.ts";
import { providerTable } from "../../provider/table.ts";

export interface WorkerSecrets {
  /** Every provider key that is set, by the name the provider table gives it. Nothing else of the environment. */
  readonly values: Readonly<Record<string, string>>;
  /** Names that declared candidates need and that are not set. */
  readonly missing: readonly string[];
}

export function secretsFor(compiled: CompiledBundle, environment: Readonly<Record<string, string>>): WorkerSecrets {
  const table = providerTable(compiled.config);
  const values: Record<string, string> = {};
  for (const { apiKeyEnv } of table.all) {
    const value = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv];
    if (apiKeyEnv !== undefined && value) values[apiKeyEnv] = value;
  }
  const needed = compiled.routes
    .flatMap((route) => route.candidates)
    .map(({ provider }) => table.find(provider)?.apiKeyEnv)
    .filter((name) => name !== undefined);
  return { values, missing: [...new Set(needed)].filter((name) => !(name in values)).sort() };
}
