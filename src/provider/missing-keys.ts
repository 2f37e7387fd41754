import type { Route } from "../route/route.ts";
import type { ProviderTable } from "./provider.ts";

interface MissingKeys {
  /** Variables without a value, and the routes that declare a candidate which needs them. */
  readonly variables: readonly { readonly name: string; readonly routes: readonly string[] }[];
  /** Routes without a key for any of their live candidates: every call of them fails. */
  readonly unservable: readonly string[];
}

/** Returns the provider keys that the live candidates of these routes need and that are not set. */
export function missingKeys(
  routes: readonly Route[],
  providers: ProviderTable,
  isSet: (variable: string) => boolean,
): MissingKeys {
  const variables = new Map<string, Set<string>>();
  const unservable: string[] = [];
  for (const route of routes) {
    const needed = route.candidates
      .filter(({ trial }) => !trial)
      .map(({ provider }) => providers.find(provider)?.apiKeyEnv)
      .map((name) => (name === undefined || isSet(name) ? undefined : name));
    for (const name of needed)
      if (name !== undefined) variables.set(name, (variables.get(name) ?? new Set()).add(route.name));
    if (needed.length > 0 && needed.every((name) => name !== undefined)) unservable.push(route.name);
  }
  return {
    variables: [...variables]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, names]) => ({ name, routes: [...names] })),
    unservable,
  };
}
