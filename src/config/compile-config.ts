/** Compiles `modelrig.yaml` to `Config`, or returns all its faults at once. */

import { isRecord } from "../json/record.ts";
import { usdToNano } from "../money/nano-usd.ts";
import { type Fault, hasErrors, mostImportantLast } from "../route/fault.ts";
import { type LocatedYaml, parseLocatedYaml } from "../route/located-yaml.ts";
import { ShapeReader } from "../route/shape.ts";
import type { Config } from "./config.ts";
import { type ConfigDraft, configShape, nameFault } from "./config-shape.ts";
import { DEFAULT_CONFIG } from "./defaults.ts";
import { builtinRow, providerRow } from "./provider-row.ts";

interface CompiledConfig {
  /** Present when no fault is an error. */
  readonly config?: Config | undefined;
  readonly faults: readonly Fault[];
}

/** Returns the default configuration for an empty file. Never throws, whatever the text is. */
export function compileConfig(file: string, text: string): CompiledConfig {
  const document = parseLocatedYaml(file, text, "config");
  if (document.faults.length > 0) return { faults: mostImportantLast(document.faults) };
  if (document.value === null || document.value === undefined) return { config: DEFAULT_CONFIG, faults: [] };
  if (!isRecord(document.value)) {
    const message = "the configuration is a map of keys; see docs/configuration.md";
    return { faults: [document.fault("config.not_a_map", message, { path: [], rank: "syntax" })] };
  }
  const reader = new ShapeReader(document, "config");
  const draft = readDraft(reader, document.value);
  const faults = mostImportantLast([...reader.faults, ...checkProviders(document, draft)]);
  return hasErrors(faults) ? { faults } : { config: configOf(draft), faults };
}

function readDraft(reader: ShapeReader, value: Readonly<Record<string, unknown>>): ConfigDraft {
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(configShape, key)) reader.unknownKey(key, Object.keys(configShape), []);
  }
  const { sim, ...rest } = configShape;
  const parts = Object.entries(rest).map(([key, shape]) => [
    key,
    value[key] === undefined || value[key] === null ? undefined : reader.read<unknown>(shape, [key]),
  ]);
  // `sim: true` is short for `sim: { enabled: true }`.
  const short = typeof value["sim"] === "boolean" ? { enabled: value["sim"] } : undefined;
  const simulated = short ?? (value["sim"] === undefined ? undefined : reader.read(sim, ["sim"]));
  // Each part was parsed by the shape under its own key, as the type `ConfigDraft` states.
  return { ...Object.fromEntries(parts), sim: simulated } as ConfigDraft;
}

function checkProviders(document: LocatedYaml, { providers = {} }: ConfigDraft): Fault[] {
  const faults: Fault[] = [];
  for (const [name, entry] of Object.entries(providers)) {
    const path = ["providers", name];
    const badName = nameFault("provider", name);
    if (badName) faults.push(document.fault("config.bad_id", badName, { path, spot: "key" }));
    const base = builtinRow(name);
    if (!base && entry.dialect === undefined) {
      const message = `provider ${name} is not built in, so it needs a dialect: openai, openai-responses, anthropic or gemini`;
      faults.push(document.fault("config.missing_key", message, { path, spot: "key" }));
    }
    if ((base?.baseUrl ?? "") === "" && entry.base_url === undefined) {
      faults.push(document.fault("config.missing_key", `provider ${name} needs its base_url`, { path, spot: "key" }));
    }
    if (base?.simulated && (entry.base_url !== undefined || entry.dialect !== undefined)) {
      const message = "the simulated provider has no other address; give your own provider another name";
      faults.push(document.fault("config.sim_redirected", message, { path, spot: "key" }));
    }
    for (const [id, model] of Object.entries(entry.models ?? {})) {
      const at = [...path, "models", id];
      const badId = nameFault("model", id);
      if (badId) faults.push(document.fault("config.bad_id", badId, { path: at, spot: "key" }));
      faults.push(...checkTiers(document, at, model.price?.tiers ?? []));
    }
  }
  return faults;
}

function checkTiers(
  document: LocatedYaml,
  path: readonly string[],
  tiers: readonly { above_tokens: number }[],
): Fault[] {
  return tiers.flatMap((tier, index) => {
    const first = tiers.findIndex((other) => other.above_tokens === tier.above_tokens);
    if (first === index) return [];
    const message = `two tiers start above ${tier.above_tokens} tokens`;
    return [document.fault("config.duplicate_tier", message, { path: [...path, "price", "tiers", index] })];
  });
}

function configOf(draft: ConfigDraft): Config {
  const { limits = {}, capture = {} } = draft;
  const base = DEFAULT_CONFIG;
  const perMonth = draft.budget?.org_usd_per_month;
  return {
    providers: Object.entries(draft.providers ?? {}).map(([name, entry]) => providerRow(name, entry)),
    budget: perMonth === undefined ? {} : { orgPerMonth: usdToNano(perMonth) },
    limits: {
      bodyBytes: limits.body_bytes ?? base.limits.bodyBytes,
      headerBytes: limits.header_bytes ?? base.limits.headerBytes,
      jsonDepth: limits.json_depth ?? base.limits.jsonDepth,
    },
    sim: draft.sim?.enabled ?? base.sim,
    simLatency: draft.sim?.latency ?? base.simLatency,
    cors: { origins: draft.cors?.origins ?? base.cors.origins },
    ...(draft.responses_store && { responsesStore: { ttlMs: draft.responses_store.ttl } }),
    keepAliveMs: draft.keep_alive_ms ?? base.keepAliveMs,
    capture: {
      redact: (capture.redact ?? []).map(({ path, regex, replace = "[redacted]" }) => ({
        ...(path === undefined ? {} : { path }),
        ...(regex === undefined ? {} : { regex }),
        replace,
      })),
      keepDays: capture.keep_days ?? base.capture.keepDays,
      maxMb: capture.max_mb ?? base.capture.maxMb,
    },
  };
}
