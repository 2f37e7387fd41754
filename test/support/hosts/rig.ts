/** A project folder with routes on a loopback upstream, and rigs in it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExportItem } from "../../../src/sdk/export/exporter.ts";
import { bufferedBodies } from "../../../src/sdk/export/journal-buffer.ts";
import { createRig, type Rig, type RigConfig } from "../../../src/sdk/index.ts";

export interface RigProject {
  readonly cwd: string;
  /** Warnings of every rig made here. */
  readonly warnings: string[];
  rig(config?: RigConfig): Rig;
  /** Closes its rigs and removes the folder. */
  end(): Promise<void>;
}

export interface ProjectFiles {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** Route bundles without their name, by name. */
  readonly routes?: Readonly<Record<string, unknown>> | undefined;
  /** Further keys of `modelrig.yaml`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Further keys of the model `m`. */
  readonly model?: Readonly<Record<string, unknown>> | undefined;
}

export const NO_RETRY = { content_invalid: 0, network: 0, capacity_shed: 0, server_error: 0 };
export const CANDIDATES = [{ provider: "up", model: "m" }];

/** One dollar per million tokens in, two out. */
export function rigProject({ baseUrl, routes = {}, config, model }: ProjectFiles): RigProject {
  const cwd = mkdtempSync(join(tmpdir(), "modelrig-sdk-"));
  const warnings: string[] = [];
  const rigs: Rig[] = [];
  const price = { input_per_million: 1, output_per_million: 2 };
  const m = { price, context_window: 100_000, max_output: 100, ...model };
  const models = { m, other: m, echo: m };
  // JSON is YAML.
  const providers = { up: { dialect: "openai", base_url: baseUrl, models } };
  writeFileSync(join(cwd, "modelrig.yaml"), JSON.stringify({ providers, ...config }));
  mkdirSync(join(cwd, "routes"));
  for (const [route, bundle] of Object.entries(routes)) {
    writeFileSync(join(cwd, "routes", `${route}.yaml`), JSON.stringify({ route, ...(bundle as object) }));
  }
  return {
    cwd,
    warnings,
    rig(more = {}) {
      const rig = createRig({ cwd, onWarning: (line) => void warnings.push(line), ...more });
      rigs.push(rig);
      return rig;
    },
    async end() {
      await Promise.all(rigs.map((rig) => rig.close()));
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

/** A route that renders `{{ text }}`. */
export function textRoute(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    candidates: CANDIDATES,
    retry: NO_RETRY,
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    template: { user: "{{ text }}" },
    ...more,
  };
}

/** What waits in the project's buffer, oldest first. */
export function bufferedItems(cwd: string): ExportItem[] {
  return bufferedBodies(join(cwd, ".modelrig", "buffer")).map((body) => JSON.parse(body) as ExportItem);
}
