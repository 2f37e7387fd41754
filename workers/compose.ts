/** Builds the runtime of an isolate. The only reader of `Env`. */
import compiled from "modelrig:compiled";
import { uuidv7obj } from "uuidv7";
import { BreakerCache } from "../durable/breaker-cache.ts";
import { breakerPort } from "../durable/breakers-client.ts";
import { type EnvelopeAlert, envelopePort, remoteEnvelopes } from "../durable/envelopes-client.ts";
import { withDeadline } from "../durable/remote.ts";
import type { CallPorts } from "../src/call/ports.ts";
import { clockOf } from "../src/call/time/clock.ts";
import { KeyCache } from "../src/identity/key-cache.ts";
import { isSimulated, simFetch } from "../src/provider/sim/simulator.ts";
import { providerPrices, providerTable } from "../src/provider/table.ts";
import { parseQueryTokens, QueryTokens } from "../src/query/query-tokens.ts";
import { EMPTY_REGISTRY, type Registry } from "../src/registry/capability.ts";
import { registryOf } from "../src/registry/record.ts";
import { StoreError } from "../src/store/database/store-error.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { Activity } from "./activity.ts";
import type { Env } from "./bindings.ts";
import { logAlert } from "./envelope-alerts.ts";
import { hostedRuns } from "./hosted-runs.ts";
import { LivePins } from "./live-pins.ts";
import { logError } from "./log.ts";
import { alertingRecorder } from "./model-alert.ts";
import { OrgSnapshots } from "./org-snapshots.ts";
import type { Background, Runtime } from "./runtime.ts";
import { telemetryOutbox, telemetryRecorder, telemetryResend } from "./telemetry-queue.ts";

const KEY_LOOKUP_PATIENCE_MS = 5_000;
const HOUR_MS = 3_600_000;
/** Measurements change by the day; until they are there a call goes by what is declared. */
const REGISTRY_TTL_MS = 300_000;

/** An isolate meets one environment; tests meet several. */
const runtimes = new WeakMap<Env, Runtime>();

export function runtimeOf(env: Env): Runtime {
  let runtime = runtimes.get(env);
  if (!runtime) {
    runtime = compose(env);
    runtimes.set(env, runtime);
  }
  return runtime;
}

const clock = clockOf({
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});

function compose(env: Env): Runtime {
  const { config, routes } = env.MODELRIG_COMPILED ?? compiled;
  const providers = providerTable(config);
  const prices = providerPrices(providers);
  const activity = new Activity();
  const sim = config.sim || env.MODELRIG_SIM === "1";
  const store = lazyStore(env);
  const lookup = { findByHash: (hash: string) => withDeadline(KEY_LOOKUP_PATIENCE_MS, store().keys.findByHash(hash)) };
  const keys = new KeyCache(lookup, clock.now);
  const tokens = new QueryTokens(
    env.MODELRIG_QUERY_TOKENS ?? "",
    (name) => store().orgs.find(name),
    (faults) => logError(`MODELRIG_QUERY_TOKENS: ${faults.join("; ")}`, undefined),
  );
  const pins = new LivePins({ current: (org) => store().forOrg(org).routePins.current() }, clock.now, (error) =>
    logError("live pins not refreshed", error),
  );
  const registries = new OrgSnapshots<Registry>({
    load: async (org) => registryOf(await store().forOrg(org).capabilities.newest()),
    empty: EMPTY_REGISTRY,
    ttlMs: REGISTRY_TTL_MS,
    now: clock.now,
    onError: (error) => logError("registry not refreshed", error),
  });
  const breakers = new BreakerCache();
  const outbox = env.TELEMETRY && telemetryOutbox(env.TELEMETRY, clock);
  const secrets = env as unknown as Readonly<Record<string, unknown>>;

  const alertOf = (org: string) => (alert: EnvelopeAlert) => logAlert(org, alert);

  const callPorts = (org: string, background: Background): CallPorts => ({
    fetch: (url, init) =>
      isSimulated(url) ? simFetch(new Request(url, init), clock, { latency: config.simLatency }) : fetch(url, init),
    clock,
    random: Math.random,
    newId: (prefix) => `${prefix}_${uuidv7obj().toHex()}`,
    providers,
    registry: registries.latest(org, background),
    prices,
    breakers: breakerPort(env.ROUTE_BREAKER, org, breakers, background, clock),
    envelopes: envelopePort(env.SPEND_ENVELOPES, org, background, alertOf(org)),
    recorder: alertingRecorder(telemetryRecorder({ outbox, store, activity, clock, background }), org),
    secret: (name) => {
      const value = secrets[name];
      return typeof value === "string" && value !== "" ? value : undefined;
    },
    sim,
  });

  return {
    config,
    routes: new Map(routes.map((route) => [route.name, route])),
    providers,
    prices,
    sim,
    activity,
    now: clock.now,
    sleep: clock.sleep,
    devToken: env.MODELRIG_DEV_TOKEN,
    store,
    async authenticate(key, background) {
      const found = keys.find(key).then((principal) => principal ?? tokens.find(key));
      // A lookup shared with another request must not end with the request that began it.
      background(found.catch(() => undefined));
      try {
        return await found;
      } catch (error) {
        logError("key not looked up", error);
        throw error;
      }
    },
    liveVariant: (org, route, background) => pins.variant(org, route, background),
    callPorts,
    envelopes: (org, background) => remoteEnvelopes(env.SPEND_ENVELOPES, org, background, alertOf(org)),
    async queryTokens(org, slug) {
      const { plaintext, faults, tokens: all } = await parseQueryTokens(env.MODELRIG_QUERY_TOKENS ?? "");
      const own = all.filter((token) => token.org === org || token.org === slug);
      return { plaintext, faults, tags: own.flatMap((token) => Object.keys(token.tags)) };
    },
    resendTelemetry: env.TELEMETRY && telemetryResend(env.TELEMETRY),
    hostedRuns: env.HOSTED_BAKEOFFS && hostedRuns(env.HOSTED_BAKEOFFS),
    hourlyUsage: (org) =>
      store()
        .forOrg(org)
        .inferences.usage(clock.now() - HOUR_MS, clock.now()),
  };
}

/** Opened by whoever first needs it, so that a Worker without a database still answers `/health`. */
function lazyStore(env: Env): () => Store {
  let store: Store | undefined;
  return () => {
    if (!env.TURSO_DATABASE_URL) throw new StoreError("unreachable", "TURSO_DATABASE_URL is not set", undefined);
    store ??= openStore({ url: env.TURSO_DATABASE_URL, authToken: env.TURSO_AUTH_TOKEN });
    return store;
  };
}
