/** `createRig`: everything of the SDK, wired. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gatewayClient } from "../api/client.ts";
import type { CallPorts } from "../call/ports.ts";
import { compileConfig } from "../config/compile-config.ts";
import type { Config } from "../config/config.ts";
import { DEFAULT_CONFIG } from "../config/defaults.ts";
import { registryOf } from "../registry/record.ts";
import { sizedRecord } from "../telemetry/message.ts";
import { recordOf } from "../telemetry/record.ts";
import { clock, engineHost } from "../workspace/engine-host.ts";
import { readLocalRegistry } from "../workspace/local-registry.ts";
import { stateFolder } from "../workspace/state-folder.ts";
import { processBreakers } from "./calls/breakers.ts";
import { localCaptures } from "./calls/captures.ts";
import { gatewayEnvelopes } from "./calls/gateway-envelopes.ts";
import { gatewayHost } from "./calls/gateway-host.ts";
import { inProcessHost } from "./calls/in-process.ts";
import { machineEnvelopes } from "./calls/machine-envelopes.ts";
import { routesOf } from "./calls/routes.ts";
import { type ResolvedConfig, type RigConfig, resolveConfig } from "./config.ts";
import { RigConfigError } from "./errors.ts";
import { gatewayDelivery } from "./export/delivery.ts";
import type { ExportBuffer } from "./export/export-buffer.ts";
import { createExporter, type Exporter, NO_EXPORTER } from "./export/exporter.ts";
import { openJournalBuffer } from "./export/journal-buffer.ts";
import { rigOf } from "./rig-calls.ts";
import type { Rig } from "./surface.ts";
import { reasonOf, type Warnings, warnings } from "./warnings.ts";

/**
 * Makes a rig. Synchronous: routes are read at the first call (`rig.ready()` reads them now). Throws `RigConfigError` where
 * what is configured can never work. Keep one per process, and `close()` it at the end.
 *
 * @example
 * const own = createRig({ ...loadConfigFromEnv(), routesDir: "routes" });
 * const { text } = await own.run("support.reply", { input: { ticket: "My invoice is wrong." } });
 * await own.close();
 */
export function createRig(config: RigConfig = {}): Rig {
  const warn = warnings(config.onWarning);
  const settings = resolveConfig(config, warn.say);
  const project = projectConfig(settings);
  const gateway = settings.gateway && gatewayClient({ ...settings.gateway, fetch: settings.fetch });
  const exporter = settings.record ? exporterOf(settings, gateway, warn) : NO_EXPORTER;
  const envelopes = gateway ? gatewayEnvelopes(gateway, warn) : machineEnvelopes(settings.cwd, warn, clock.now);
  const ports = callPorts(settings, project, exporter, envelopes);
  const routes = routesOf(settings, project);
  const engine = inProcessHost(ports, project, routes);
  return rigOf({
    settings,
    project,
    warn,
    exporter,
    envelopes,
    ports,
    routes,
    engine,
    host: settings.via === "gateway" && gateway ? gatewayHost(gateway) : engine,
    captures: localCaptures(settings.cwd, project.capture, ports.providers, warn, clock.now),
  });
}

function callPorts(
  { env, fetch, cwd }: ResolvedConfig,
  config: Config,
  exporter: Exporter,
  envelopes: CallPorts["envelopes"],
): CallPorts {
  const ports = engineHost(
    { config },
    {
      environment: env,
      envelopes,
      recorder: {
        record: (inference) =>
          exporter.add({ type: "inference", inference: sizedRecord(recordOf(inference)).inference }),
      },
      fetch,
      registry: registryOf(readLocalRegistry(cwd)),
    },
  );
  return { ...ports, breakers: processBreakers(ports) };
}

/** `modelrig.yaml`, where there is one. */
function projectConfig({ cwd, configFile }: ResolvedConfig): Config {
  const file = resolve(cwd, configFile ?? "modelrig.yaml");
  if (!existsSync(file)) {
    if (configFile === undefined) return DEFAULT_CONFIG;
    throw new RigConfigError("config.not_found", `there is no configuration file ${file}`);
  }
  const { config, faults } = compileConfig(file, readFileSync(file, "utf8"));
  if (config) return config;
  const worst = faults.at(-1);
  const place = worst ? `${worst.file}:${worst.line}:${worst.column} ${worst.message}` : file;
  throw new RigConfigError("config.invalid", `the configuration is invalid: ${place}`);
}

function exporterOf(
  { cwd, gateway, expectOrg, buffer, flushIntervalMs }: ResolvedConfig,
  client: ReturnType<typeof gatewayClient> | undefined,
  warn: Warnings,
): Exporter {
  const sender = gateway ? fingerprint(gateway) : "";
  const now = clock.now;
  return createExporter({
    open: () => openBuffer(cwd, sender, warn),
    delivery: client && ((backoff) => gatewayDelivery(client, { expectOrg, now, backoff, warn })),
    limits: buffer,
    flushIntervalMs,
    now,
    random: Math.random,
    warn,
  });
}

/** A read-only disk costs durability, not the pipeline. */
function openBuffer(cwd: string, sender: string, warn: Warnings): ExportBuffer {
  try {
    return openJournalBuffer(join(stateFolder(cwd), "buffer"), sender);
  } catch (cause) {
    warn.once(
      "buffer file",
      `records are kept in memory only, for ${cwd}/.modelrig cannot be used: ${reasonOf(cause)}`,
    );
    return openJournalBuffer(undefined, sender);
  }
}

/** Names a key without being one: records of one key are never sent with another org's. */
function fingerprint({ url, key }: { readonly url: string; readonly key: string }): string {
  return createHash("sha256").update(`${url}\n${key}`).digest("hex").slice(0, 32);
}
