/** Checks whether the declared candidates can serve this route within its budget. */
import { worstCase } from "../money/cost.ts";
import { type NanoUsd, nanoToUsdText, usdToNano } from "../money/nano-usd.ts";
import { serviceTier } from "../money/tier.ts";
import type { ModelCapabilities } from "../provider/provider.ts";
import { needsBaseUrl } from "../provider/table.ts";
import { measuredCapabilities, satisfies } from "../registry/satisfies.ts";
import type { BundleDraft, CandidateDraft } from "./bundle-shape.ts";
import type { CompileContext } from "./compile-context.ts";
import { type Fault, nearest } from "./fault.ts";
import type { LocatedYaml } from "./located-yaml.ts";

export const candidateKey = ({ provider, model }: { provider: string; model: string }): string =>
  `${provider}/${model}`;

export function checkCandidates(document: LocatedYaml, draft: BundleDraft, context: CompileContext): Fault[] {
  const declared = (draft.candidates ?? []).flatMap((candidate, index) => (candidate ? [{ candidate, index }] : []));
  const faults: Fault[] = [];
  const seen = new Map<string, number>();
  for (const { candidate, index } of declared) {
    const key = candidateKey(candidate);
    const first = seen.get(key);
    if (first !== undefined) {
      const message = `${key} is declared twice (first as candidates[${first}]); a variant may give it other params`;
      faults.push(document.fault("route.duplicate_candidate", message, { path: ["candidates", index] }));
    } else seen.set(key, index);
    faults.push(
      ...checkProvider(document, candidate, index, context),
      ...checkListed(document, candidate, index, context),
      ...checkPrice(document, draft, candidate, index, context),
    );
  }
  if (draft.candidates?.length === 0 && document.value !== undefined) {
    faults.push(
      document.fault("route.no_candidates", "candidates must list at least one provider and model", {
        path: ["candidates"],
      }),
    );
  }
  const allRead = declared.length === draft.candidates?.length;
  if (allRead && declared.length > 0 && declared.every(({ candidate }) => candidate.trial)) {
    const message = "every candidate is trial, so nothing can serve the route; at least one must be live";
    faults.push(document.fault("route.only_trial", message, { path: ["candidates"] }));
  }
  if (allRead) faults.push(...checkRequire(document, draft, context));
  return faults;
}

function checkProvider(
  document: LocatedYaml,
  { provider }: CandidateDraft,
  index: number,
  { providers }: CompileContext,
): Fault[] {
  if (providers.find(provider)) return [];
  if (needsBaseUrl(provider)) {
    const message = `provider ${provider} has no address until modelrig.yaml declares its base_url`;
    return [document.fault("route.provider_without_address", message, { path: ["candidates", index, "provider"] })];
  }
  const names = providers.all.map(({ name }) => name);
  const suggestion = nearest(provider, names);
  const hint = suggestion ? `did you mean ${suggestion}?` : `known: ${names.join(", ")}`;
  const message = `provider ${provider} is neither built in nor declared in modelrig.yaml; ${hint}`;
  return [document.fault("route.unknown_provider", message, { path: ["candidates", index, "provider"], suggestion })];
}

/** A provider that lists its models does not know one that is not among them, as one whose name is misspelt. */
function checkListed(
  document: LocatedYaml,
  { provider, model }: CandidateDraft,
  index: number,
  { providers }: CompileContext,
): Fault[] {
  const listed = Object.keys(providers.find(provider)?.models ?? {});
  if (listed.length === 0 || listed.includes(model)) return [];
  const suggestion = nearest(model, listed);
  const hint = suggestion ? `did you mean ${suggestion}?` : `listed: ${listed.slice(0, 8).join(", ")}`;
  const message = `${model} is not among the models that ${provider} lists; ${hint}`;
  const place = { path: ["candidates", index, "model"], suggestion, severity: "warning" } as const;
  return [document.fault("route.unlisted_model", message, place)];
}

/** A budget needs a price and an output bound, and a candidate that can never fit is reported before it runs. */
function checkPrice(
  document: LocatedYaml,
  draft: BundleDraft,
  candidate: CandidateDraft,
  index: number,
  context: CompileContext,
): Fault[] {
  const { provider, model, params } = candidate;
  if (!context.providers.find(provider)) return [];
  const warn = (code: string, message: string) => [
    document.fault(code, message, { path: ["candidates", index], severity: "warning" }),
  ];
  const key = candidateKey(candidate);
  const price = context.prices.find(provider, model, context.at);
  if (!price) {
    if (draft.allow_unpriced) return [];
    const effect = isLimited(draft) ? "the budget refuses it" : "what it costs is unknown, and limits refuse it";
    return warn(
      "route.unpriced_candidate",
      `${key} has no known price, so ${effect}; declare its price in modelrig.yaml or set allow_unpriced: true`,
    );
  }
  if (!draft.budget || !isLimited(draft)) return [];
  const spec = context.providers.model(provider, model);
  const outputTokens = params?.max_tokens ?? spec?.maxOutput ?? spec?.contextWindow;
  if (outputTokens === undefined) {
    return warn(
      "route.unbounded_output",
      `${key} has no max_tokens and no known max_output, so calls without max_tokens are refused by the budget`,
    );
  }
  const limit = draft.budget.usd_per_call;
  if (limit === undefined) return [];
  const tier = serviceTier(params?.service_tier ?? draft.service_tier);
  const least: NanoUsd = worstCase(price, { inputTokens: 0, outputTokens, choices: 1 }, tier);
  if (least <= usdToNano(limit)) return [];
  return warn(
    "route.never_fits_budget",
    `${key} can never fit usd_per_call: ${outputTokens} output tokens alone may cost $${nanoToUsdText(least)}; lower max_tokens or raise the budget`,
  );
}

function isLimited({ budget }: BundleDraft): boolean {
  return budget !== undefined && Object.keys(budget).length > 0;
}

function checkRequire(document: LocatedYaml, draft: BundleDraft, context: CompileContext): Fault[] {
  const known = (draft.candidates ?? []).flatMap((candidate) => {
    if (!candidate || candidate.trial) return [];
    const found = capabilitiesOf(candidate, context);
    return found ? [found] : [];
  });
  if (known.length === 0) return [];
  return (draft.require ?? []).flatMap((predicate, index) => {
    if (known.some(({ capabilities, measured }) => satisfies(predicate, capabilities, measured))) return [];
    const message = `no live candidate is known to satisfy ${predicate}, so nothing could serve the route; declare the capability for a model in modelrig.yaml`;
    return [document.fault("route.unsatisfiable", message, { path: ["require", index] })];
  });
}

export function capabilitiesOf({ provider, model }: CandidateDraft, context: CompileContext) {
  const row = context.providers.find(provider);
  if (!row) return undefined;
  const measured = context.registry?.find(provider, model) ?? [];
  const capabilities: ModelCapabilities = {
    ...row.capabilities,
    ...context.providers.model(provider, model)?.capabilities,
    ...measuredCapabilities(measured),
  };
  return { capabilities, measured };
}
