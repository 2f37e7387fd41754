/** Builds the runtime of an isolate. The only reader of `Env`. */
import compiled from "modelrig:compiled";
import { uuidv7obj } from "uuidv7";
import { BreakerCache } from "../durable/breaker-cache.ts";
import { breakerPort } from "../durable/breakers-client.ts";
import { type EnvelopeAlert, EnvelopeSenders, envelopePort, remoteEnvelopes } from "../durable/envelopes-client.ts";
import { withDeadline } from "../durable/remote.ts";
import type { CallPorts } from "../src/call/ports.ts";
import { clockOf } from "../src/call/time/clock.ts";
import { KeyCache } from "../src/identity/key-cache.ts";
import { isSimulated } from "../src/provider/sim/models.ts";
import { providerPrices, providerTable } from "../src/provider/table.ts";
import type { QueryTokens } from "../src/query/query-tokens.ts";
import { EMPTY_REGISTRY, type Registry } from "../src/registry/capability.ts";
import { StoreError } from "../src/store/database/store-error.ts";
import type { openStore as openStoreOf, Store } from "../src/store/store.ts";
import { hostedRuns } from "./background/hosted-runs.ts";
import { alertingRecorder, telemetryOutbox, telemetryRecorder, telemetryResend } from "./background/telemetry-queue.ts";
import type { Env } from "./bindings.ts";
import { Activity } from "./isolate/activity.ts";
import { logAlert } from "./isolate/envelope-alerts.ts";
import { LivePins } from "./isolate/live-pins.ts";
import { OrgSnapshots } from "./isolate/org-snapshots.ts";
import { logError } from "./log.ts";
import type { Replacement } from "./replacement.ts";
import type { Background, Runtime } from "./runtime.ts";

const KEY_LOOKUP_PATIENCE_MS = 5_000;
const HOUR_MS = 3_600_000;
/** Measurements change by the day; until they are there a call goes by what is declared. */
const REGISTRY_TTL_MS = 300_000;

/** An isolate meets one environment; tests meet several. */
let runtimes = new WeakMap<Env, Runtime>();
/** What is in flight outlives the runtime it began in. */
const activities = new WeakMap<Env, Activity>();
let replacement: Replacement | undefined;

export function runtimeOf(env: Env): Runtime {
  let runtime = runtimes.get(env);
  if (!runtime) {
    runtime = compose(env);
    runtimes.set(env, runtime);
  }
  return runtime;
}

/** Serves later requests by other routes and another configuration. Only `modelrig dev` does this. */
export function replaceCompiled(next: Replacement): void {
  replacement = next;
  runtimes = new WeakMap();
}

function activityOf(env: Env): Activity {
  const activity = activities.get(env) ?? new Activity();
  activities.set(env, activity);
  return activity;
}

const clock = clockOf({
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});

function compose(env: Env): Runtime {
  const { config, routes } = replacement?.compiled ?? env.MODELRIG_COMPILED ?? compiled;
  const providers = providerTable(config);
  const prices = providerPrices(providers);
  const activity = activityOf(env);
  const sim = config.sim || env.MODELRIG_SIM === "1";
  const { store, loadStore, openStore } = lazyStore(env);
  const findKey = async (hash: string) => await (await openStore()).keys.findByHash(hash);
  const lookup = { findByHash: (hash: string) => withDeadline(KEY_LOOKUP_PATIENCE_MS, findKey(hash)) };
  const keys = new KeyCache(lookup, clock.now);
  const findToken = queryTokenFinder(env, openStore);
  const currentPins = async (org: string) => await (await openStore()).forOrg(org).routePins.current();
  const pins = new LivePins({ current: currentPins }, clock.now, (error) => logError("live pins not refreshed", error));
  const registries = new OrgSnapshots<Registry>({
    async load(org) {
      const [{ registryOf }, opened] = await Promise.all([import("../src/registry/record.ts"), openStore()]);
      return registryOf(await opened.forOrg(org).capabilities.newest());
    },
    empty: EMPTY_REGISTRY,
    ttlMs: REGISTRY_TTL_MS,
    now: clock.now,
    onError: (error) => logError("registry not refreshed", error),
  });
  const breakers = new BreakerCache();
  const envelopeSenders = new EnvelopeSenders(env.SPEND_ENVELOPES, clock);
  const outbox = env.TELEMETRY && telemetryOutbox(env.TELEMETRY, clock);
  const secrets: Readonly<Record<string, unknown>> = { ...env, ...replacement?.secrets };

  const alertOf = (org: string) => (alert: EnvelopeAlert) => logAlert(org, alert);

  const callPorts = (org: string, background: Background): CallPorts => ({
    fetch: (url, init) => (isSimulated(url) ? simulated(new Request(url, init), config.simLatency) : fetch(url, init)),
    clock,
    random: Math.random,
    newId: (prefix) => `${prefix}_${uuidv7obj().toHex()}`,
    providers,
    registry: registries.latest(org, background),
    prices,
    breakers: breakerPort(env.ROUTE_BREAKER, org, breakers, background, clock),
    envelopes: envelopePort(envelopeSenders.of(org), background, alertOf(org)),
    recorder: alertingRecorder(telemetryRecorder({ outbox, openStore, activity, clock, background }), org),
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
    storeKey: env.MODELRIG_STORE_KEY,
    devToken: env.MODELRIG_DEV_TOKEN,
    store,
    loadStore,
    openStore,
    async authenticate(key, background) {
      const found = keys.find(key).then((principal) => principal ?? findToken(key));
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
    envelopes: (org, background) =>
      remoteEnvelopes(env.SPEND_ENVELOPES, org, envelopeSenders.of(org), background, alertOf(org)),
    async queryTokens(org, slug) {
      const { parseQueryTokens } = await import("../src/query/query-tokens.ts");
      const { plaintext, faults, tokens: all } = await parseQueryTokens(env.MODELRIG_QUERY_TOKENS ?? "");
      const own = all.filter((token) => token.org === org || token.org === slug);
      return { plaintext, faults, tags: own.flatMap((token) => Object.keys(token.tags)) };
    },
    resendTelemetry: env.TELEMETRY && telemetryResend(env.TELEMETRY),
    hostedRuns: env.HOSTED_BAKEOFFS && hostedRuns(env.HOSTED_BAKEOFFS),
    hourlyUsage: async (org) =>
      await (await openStore()).forOrg(org).inferences.usage(clock.now() - HOUR_MS, clock.now()),
  };
}

/** Its module is loaded, and it is opened, by whoever first needs it: a Worker without a database still answers `/health`. */
function lazyStore(env: Env): Pick<Runtime, "store" | "loadStore" | "openStore"> {
  let open: typeof openStoreOf | undefined;
  let opened: Store | undefined;
  const store = (): Store => {
    const { TURSO_DATABASE_URL: url, TURSO_AUTH_TOKEN: authToken } = env;
    if (!url) throw new StoreError("unreachable", "TURSO_DATABASE_URL is not set", undefined);
    if (!open) throw new Error("the database was asked for before its module was loaded");
    opened ??= open({ url, authToken });
    return opened;
  };
  const loadStore = async (): Promise<void> => {
    open ??= (await import("../src/store/store.ts")).openStore;
  };
  return {
    store,
    loadStore,
    async openStore() {
      await loadStore();
      return store();
    },
  };
}

/** Looks a token of the environment up; nothing is loaded where there are none. */
function queryTokenFinder(env: Env, openStore: () => Promise<Store>): QueryTokens["find"] {
  const text = env.MODELRIG_QUERY_TOKENS ?? "";
  if (text === "") return async () => undefined;
  let tokens: QueryTokens | undefined;
  return async (key) => {
    const { QueryTokens: Tokens } = await import("../src/query/query-tokens.ts");
    tokens ??= new Tokens(
      text,
      async (name) => await (await openStore()).orgs.find(name),
      (faults) => logError(`MODELRIG_QUERY_TOKENS: ${faults.join("; ")}`, undefined),
    );
    return await tokens.find(key);
  };
}

async function simulated(request: Request, latency: number | undefined): Promise<Response> {
  const { simFetch } = await import("../src/provider/sim/simulator.ts");
  return await simFetch(request, clock, { latency });
}
