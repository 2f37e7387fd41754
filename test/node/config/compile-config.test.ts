import { describe, expect, it } from "vitest";
import { compileConfig } from "../../../src/config/compile-config.ts";
import type { Config } from "../../../src/config/config.ts";
import { DEFAULT_CONFIG } from "../../../src/config/defaults.ts";
import { providerPrices, providerTable } from "../../../src/provider/table.ts";

const FILE = "modelrig.yaml";

function configOf(text: string): Config {
  const { config, faults } = compileConfig(FILE, text);
  if (!config) throw new Error(JSON.stringify(faults, null, 1));
  return config;
}

describe("modelrig.yaml", () => {
  it.each(["", "\n# nothing said\n", "{}", "limits: {}\nproviders:\n"])(
    "means the defaults where it says nothing: %j",
    (text) => {
      expect(configOf(text)).toEqual(DEFAULT_CONFIG);
    },
  );

  it("sets every knob", () => {
    const config = configOf(`
budget: { org_usd_per_month: 500 }
limits: { body_bytes: 1048576, header_bytes: 2048, json_depth: 32 }
sim: { enabled: true, latency: 0 }
keep_alive_ms: 15000
capture: { redact: [{ path: /user/email }, { regex: '\\d{16}', replace: "[card]" }], keep_days: 7, max_mb: 64 }
cors: { origins: ["https://app.example.com", "http://localhost:5173"] }
`);
    expect(config).toEqual({
      providers: [],
      budget: { orgPerMonth: 500e9 },
      limits: { bodyBytes: 1_048_576, headerBytes: 2_048, jsonDepth: 32 },
      sim: true,
      simLatency: 0,
      keepAliveMs: 15_000,
      capture: {
        redact: [
          { path: "/user/email", replace: "[redacted]" },
          { regex: "\\d{16}", replace: "[card]" },
        ],
        keepDays: 7,
        maxMb: 64,
      },
      cors: { origins: ["https://app.example.com", "http://localhost:5173"] },
    });
    expect(JSON.parse(JSON.stringify(config))).toEqual(config);
  });

  it.each([
    "*",
    "null",
    "https://*.example.com",
    "https://app.example.com/",
    "HTTPS://app.example.com",
    "app.example.com",
    "https://app.example.com:443",
    "file:///tmp",
    "https://a@b.example",
  ])("takes no origin that a browser never sends: %s", (origin) => {
    const { config, faults } = compileConfig("modelrig.yaml", JSON.stringify({ cors: { origins: [origin] } }));
    expect(config).toBeUndefined();
    expect(faults.map(({ message }) => message).join()).toContain("must be an exact origin");
  });

  it.each([
    ["90m", 5_400_000],
    ["24h", 86_400_000],
    ["30d", 2_592_000_000],
  ])("keeps responses for a time such as %s, and none where nothing is said", (ttl, ttlMs) => {
    expect(configOf(`responses_store: { ttl: ${ttl} }`).responsesStore).toEqual({ ttlMs });
    expect(configOf("sim: true")).not.toHaveProperty("responsesStore");
  });

  it.each(["24", "0h", "31d", "1w", "-1h", "1.5h", "1h30m", "24H", ""])("takes no such time as %j", (ttl) => {
    const { config, faults } = compileConfig("modelrig.yaml", JSON.stringify({ responses_store: { ttl } }));
    expect(config).toBeUndefined();
    expect(faults.map(({ message }) => message).join()).toMatch(/a time such as 90m, 24h or 7d|at most 30d/);
  });

  it("takes `sim: true` for short", () => {
    expect(configOf("sim: true")).toMatchObject({ sim: true, simLatency: 1 });
    expect(configOf("sim: false")).toMatchObject({ sim: false });
  });
});

describe("a provider of your own", () => {
  const config = configOf(`
providers:
  acme:
    dialect: openai
    base_url: https://llm.acme.example/v1/
    capabilities: { json_object: true }
    quirks: { no_stream_options: true, rename: { max_completion_tokens: max_tokens }, auth_header: { name: x-key, value: "{key}" } }
    models:
      org/acme-7b:
        price:
          input_per_million: 0.1
          output_per_million: 0.4
          cached_input_per_million: 0.025
          tiers: [{ above_tokens: 200000, input_per_million: 0.2, output_per_million: 0.8 }]
        context_window: 32768
        max_output: 4096
        capabilities: { native_strict: true, json_object: false }
`);
  const table = providerTable(config);

  it("is reached as declared, without key where none is named", () => {
    expect(table.find("acme")).toMatchObject({
      dialect: "openai-chat",
      baseUrl: "https://llm.acme.example/v1",
      quirks: {
        noStreamOptions: true,
        rename: { max_completion_tokens: "max_tokens" },
        authHeader: { name: "x-key", value: "{key}" },
      },
    });
    expect(table.find("acme")).not.toHaveProperty("apiKeyEnv");
  });

  it("merges a model's capabilities over the provider's", () => {
    expect(table.model("acme", "org/acme-7b")).toMatchObject({
      contextWindow: 32_768,
      maxOutput: 4_096,
      capabilities: { native_strict: true, json_object: false },
    });
    expect(table.model("acme", "other")?.capabilities).toEqual({ json_object: true });
  });

  it("is priced as declared; a model without a price stays unpriced, never free", () => {
    const prices = providerPrices(table);
    const at = new Date("2026-11-01");
    expect(prices.find("acme", "org/acme-7b", at)).toEqual({
      input: { base: 0.1, tiers: [{ start: 200_000, rate: 0.2 }] },
      output: { base: 0.4, tiers: [{ start: 200_000, rate: 0.8 }] },
      cacheRead: { base: 0.025, tiers: [] },
      version: "modelrig.yaml",
    });
    expect(prices.find("acme", "other", at)).toBeUndefined();
  });
});

describe("an entry for a built-in provider", () => {
  it("changes what it names and keeps the rest", () => {
    const table = providerTable(
      configOf("providers: { mistral: { base_url: 'http://127.0.0.1:9/v1', quirks: { omit: [user] } } }"),
    );
    const row = table.find("mistral");
    expect(row).toMatchObject({ baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "MISTRAL_API_KEY" });
    expect(row?.quirks).toMatchObject({ omit: ["user"], noStreamOptions: true });
  });

  it("gives azure its address", () => {
    expect(providerTable(configOf("")).find("azure")).toBeUndefined();
    const table = providerTable(configOf("providers: { azure: { base_url: 'https://r.openai.azure.com/openai/v1' } }"));
    expect(table.find("azure")?.quirks.authHeader).toEqual({ name: "api-key", value: "{key}" });
  });
});

const KINDS: readonly (readonly [kind: string, text: string, fault: string])[] = [
  ["an unknown key", "provider: {}\n", "1:1 config.unknown_key"],
  ["an unknown key of a provider", "providers:\n  openai:\n    base_ulr: x\n", "3:5 config.unknown_key"],
  [
    "an unknown key of a price",
    "providers: { openai: { models: { m: { price: { input: 1 } } } } }\n",
    "1:48 config.unknown_key",
  ],
  [
    "a price without its output",
    "providers: { openai: { models: { m: { price: { input_per_million: 1 } } } } }\n",
    "1:46 config.missing_key",
  ],
  [
    "a negative price",
    "providers: { openai: { models: { m: { price: { input_per_million: -1, output_per_million: 1 } } } } }\n",
    "1:67 config.invalid_value",
  ],
  ["a provider without dialect", "providers:\n  acme: { base_url: 'https://a.example' }\n", "2:3 config.missing_key"],
  ["a provider without address", "providers:\n  acme: { dialect: openai }\n", "2:3 config.missing_key"],
  [
    "a provider name with a slash",
    "providers:\n  a/b: { dialect: openai, base_url: 'https://a.example' }\n",
    "2:3 config.bad_id",
  ],
  ["a model id that could break a header", "providers: { openai: { models: { 'a b': {} } } }\n", "1:34 config.bad_id"],
  [
    "an address with credentials",
    "providers: { openai: { base_url: 'https://u:p@a.example' } }\n",
    "1:34 config.invalid_value",
  ],
  ["an address that is no URL", "providers: { openai: { base_url: api.example } }\n", "1:34 config.invalid_value"],
  [
    "a key in the place of its name",
    "providers: { openai: { api_key_env: sk-live-1 } }\n",
    "1:37 config.invalid_value",
  ],
  [
    "the simulation sent to an address",
    "providers:\n  sim: { base_url: 'https://a.example' }\n",
    "2:3 config.sim_redirected",
  ],
  [
    "an unknown dialect",
    "providers: { a: { dialect: opneai, base_url: 'https://a.example' } }\n",
    "1:28 config.invalid_value",
  ],
  [
    "two tiers with one start",
    "providers: { openai: { models: { m: { price: { input_per_million: 1, output_per_million: 1, tiers: [{ above_tokens: 5 }, { above_tokens: 5 }] } } } } }\n",
    "1:122 config.duplicate_tier",
  ],
  ["a redaction of two kinds", "capture: { redact: [{ path: /a, regex: b }] }\n", "1:21 config.invalid_value"],
  ["a keep-alive that would flood", "keep_alive_ms: 5\n", "1:16 config.invalid_value"],
  [
    "a header value with a line break",
    'providers: { openai: { quirks: { headers: { x-a: "b\\r\\nc" } } } }\n',
    "1:50 config.invalid_value",
  ],
  ["broken YAML", "limits: {\n", "2:1 config.yaml_syntax"],
  ["a list instead of a map", "- a\n", "1:1 config.not_a_map"],
];

describe("a fault is located", () => {
  it.each(KINDS)("%s", (_kind, text, fault) => {
    const { config, faults } = compileConfig(FILE, text);
    expect(config).toBeUndefined();
    expect(faults.map(({ line, column, code }) => `${line}:${column} ${code}`)).toContain(fault);
  });

  it("and never repeats a value that may be a key", () => {
    const { faults } = compileConfig(FILE, "providers: { openai: { api_key_env: sk-live-1 } }\n");
    expect(JSON.stringify(faults)).not.toContain("sk-live-1");
  });
});
