/** The engine in this process: providers are called directly, with the keys of this machine. */
import { uuidv7 } from "uuidv7";
import type { BreakerPort, CallPorts, EnvelopePort, Recorder } from "../call/ports.ts";
import { clockOf } from "../call/time/clock.ts";
import type { CompiledBundle } from "../config/config.ts";
import { isSimulated } from "../provider/sim/models.ts";
import { createSimulator } from "../provider/sim/simulator.ts";
import { providerPrices, providerTable } from "../provider/table.ts";
import { EMPTY_REGISTRY, type Registry } from "../registry/capability.ts";

interface EngineHostOptions {
  /** Names of provider keys to their values. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly envelopes: EnvelopePort;
  readonly recorder: Recorder;
  /** Absent = always closed: a replay measures what a candidate does, also while it is failing. */
  readonly breakers?: BreakerPort | undefined;
  /** Absent = only declared capabilities count. */
  readonly registry?: Registry | undefined;
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export function engineHost({ config }: Pick<CompiledBundle, "config">, options: EngineHostOptions): CallPorts {
  const providers = providerTable(config);
  const simulate = createSimulator();
  const send = options.fetch ?? ((request) => fetch(request));
  return {
    fetch: (url, init) => {
      const request = new Request(url, init);
      return isSimulated(url) ? simulate(request, clock, { latency: config.simLatency }) : send(request);
    },
    clock,
    random: Math.random,
    newId: (prefix) => `${prefix}_${uuidv7()}`,
    providers,
    registry: options.registry ?? EMPTY_REGISTRY,
    prices: providerPrices(providers),
    breakers: options.breakers ?? ALWAYS_CLOSED,
    envelopes: options.envelopes,
    recorder: options.recorder,
    secret: (name) => options.environment[name] || undefined,
    // On this machine the simulation is always at hand, as under `modelrig dev`.
    sim: true,
  };
}

export const ALWAYS_CLOSED: BreakerPort = { admit: () => ({ admitted: true }), report: () => undefined };

export const clock = clockOf({
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});
