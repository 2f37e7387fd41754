/** `createRig`: everything of the SDK, wired. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type GatewayClient, gatewayClient } from "../api/client.ts";
import type { CallPorts } from "../call/ports.ts";
import { compileConfig } from "../config/compile-config.ts";
import type { Config } from "../config/config.ts";
import { DEFAULT_CONFIG } from "../config/defaults.ts";
import { sizedRecord } from "../telemetry/message.ts";
import { recordOf } from "../telemetry/record.ts";
import { clock, engineHost } from "../workspace/engine-host.ts";
import { readLocalRegistry } from "../workspace/local-registry.ts";
import { processBreakers } from "./calls/breakers.ts";
import { localCaptures } from "./calls/captures.ts";
import { gatewayEnvelopes } from "./calls/gateway-envelopes.ts";
import { gatewayHost } from "./calls/gateway-host.ts";
import { inProcessHost } from "./calls/in-process.ts";
import { machineEnvelopes } from "./calls/machine-envelopes.ts";
import { routesOf } from "./calls/routes.ts";
import { sharedRegistry } from "./calls/shared-registry.ts";
import { type ResolvedConfig, type RigConfig, resolveConfig } from "./config.ts";
import { RigConfigError } from "./errors.ts";
import { type Exporter, NO_EXPORTER } from "./export/exporter.ts";
import { gatewayExporter } from "./export/gateway-exporter.ts";
import { rigOf } from "./rig-calls.ts";
import type { Rig } from "./surface.ts";
import { type Warnings, warnings } from "./warnings.ts";

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
  const ports = callPorts(settings, project, exporter, envelopes, gateway, warn);
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
  gateway: GatewayClient | undefined,
  warn: Warnings,
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
      registry: sharedRegistry(readLocalRegistry(cwd), gateway, clock.now, warn),
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
  client: GatewayClient | undefined,
  warn: Warnings,
): Exporter {
  const owner = gateway && client && { client, key: gateway.key };
  return gatewayExporter({ cwd, gateway: owner, expectOrg, limits: buffer, flushIntervalMs }, warn);
}
