/** The engine of commands that evaluate models on this machine: bake-offs and probes. */
import { gatewayClient } from "../api/client.ts";
import type { CallPorts, EnvelopePort } from "../call/ports.ts";
import type { CompiledBundle } from "../config/config.ts";
import { sharedRegistry } from "../sdk/calls/shared-registry.ts";
import type { Exporter } from "../sdk/export/exporter.ts";
import { gatewayExporter } from "../sdk/export/gateway-exporter.ts";
import { warnings } from "../sdk/warnings.ts";
import { sizedRecord } from "../telemetry/message.ts";
import { recordOf } from "../telemetry/record.ts";
import { clock, engineHost } from "../workspace/engine-host.ts";
import { environment } from "../workspace/env-file.ts";
import { readLocalRegistry } from "../workspace/local-registry.ts";
import type { Io } from "./command.ts";
import { configuredGateway, type GatewayOptions } from "./gateway-client.ts";

interface EvaluationHost {
  /** The engine on these envelopes. */
  readonly ports: (envelopes: EnvelopePort) => CallPorts;
  /** Sends what telemetry is left; what the gateway does not take now stays on the disk for the next command. */
  readonly close: () => Promise<void>;
}

const BUFFER = { maxBytes: 64 * 1024 * 1024, keepMs: 7 * 86_400_000 };
const FLUSH_EVERY_MS = 1_000;
const CLOSE_WITHIN_MS = 15_000;

/**
 * Models are asked by what the gateway knows of them, as it would ask them. Every call leaves a row of telemetry at the
 * gateway, without text and in a lane of its own. Without a gateway there is neither.
 */
export async function evaluationHost(
  io: Io,
  options: GatewayOptions & { readonly envFile?: string | undefined },
  bundle: Pick<CompiledBundle, "config">,
): Promise<EvaluationHost> {
  const warn = warnings((message) => io.stderr.write(`warning: ${message}\n`));
  const gateway = configuredGateway(io, options);
  const client = gateway && gatewayClient({ url: gateway.url, key: gateway.key, fetch: (request) => fetch(request) });
  const registry = sharedRegistry(readLocalRegistry(io.cwd), client, clock.now, warn);
  await registry.refresh();
  const owner = gateway && client && { client, key: gateway.key };
  const place = { cwd: io.cwd, gateway: owner, limits: BUFFER, flushIntervalMs: FLUSH_EVERY_MS };
  // Opened by the first call: a command that only looks writes nothing.
  let exporter: Exporter | undefined;
  const record: CallPorts["recorder"]["record"] = (inference) => {
    if (!owner) return;
    exporter ??= gatewayExporter(place, warn);
    exporter.add({ type: "inference", inference: sizedRecord(recordOf(inference)).inference });
  };
  const keys = environment(io, options.envFile);
  return {
    ports: (envelopes) => engineHost(bundle, { environment: keys, envelopes, recorder: { record }, registry }),
    close: async () => await exporter?.close(CLOSE_WITHIN_MS),
  };
}
