import type { RemoteEnvelopes } from "../durable/envelopes-client.ts";
import type { CallPorts } from "../src/call/ports.ts";
import type { Config } from "../src/config/config.ts";
import type { Principal } from "../src/identity/principal.ts";
import type { PriceBook } from "../src/money/price.ts";
import type { ProviderTable } from "../src/provider/provider.ts";
import type { Route } from "../src/route/route.ts";
import type { Store } from "../src/store/store.ts";
import type { UsageRow } from "../src/store/telemetry/inferences.ts";
import type { HostedRuns } from "./background/hosted-runs.ts";
import type { Activity } from "./isolate/activity.ts";

/** Runs work after the response; the platform keeps the isolate alive for it. */
export type Background = (work: Promise<unknown>) => void;

interface QueryTokenFacts {
  readonly plaintext: number;
  readonly faults: readonly string[];
  readonly tags: readonly string[];
}

/** What the endpoints see of the world. Built once per isolate by `compose.ts`, which alone reads the environment. */
export interface Runtime {
  readonly config: Config;
  readonly routes: ReadonlyMap<string, Route>;
  readonly providers: ProviderTable;
  readonly prices: PriceBook;
  readonly sim: boolean;
  readonly activity: Activity;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** The secret that seals text at rest; absent where it is not set. */
  readonly storeKey: string | undefined;
  /** Set only under `modelrig dev`: what its drain request must present. */
  readonly devToken: string | undefined;
  /** The database, whose module is loaded when it is first asked for. Rejects where none is configured. */
  openStore(): Promise<Store>;
  /** The same at once, for what runs after `loadStore`; throws where none is configured. */
  readonly store: () => Store;
  loadStore(): Promise<void>;
  /** Whose key this is; undefined for an unknown, revoked or expired one. Rejects where the database is away. */
  authenticate(key: string, background: Background): Promise<Principal | undefined>;
  /** Variant a live pin puts in the place of `default`; a promise only where the isolate's snapshot is too old. */
  liveVariant(org: string, route: string, background: Background): string | undefined | Promise<string | undefined>;
  /** The engine's needs, for one call of one org. */
  callPorts(org: string, background: Background): CallPorts;
  /** What `MODELRIG_QUERY_TOKENS` holds: faults of all entries, and the tags that scope this org's rows. */
  queryTokens(org: string, slug: string): Promise<QueryTokenFacts>;
  /** The org's spend envelopes, for calls that are made elsewhere. */
  envelopes(org: string, background: Background): RemoteEnvelopes;
  /** Sends bodies to the telemetry queue, each as a message of its own; absent where there is no queue. */
  readonly resendTelemetry: ((bodies: readonly unknown[]) => Promise<unknown>) | undefined;
  /** Absent where the platform offers no workflows. */
  readonly hostedRuns: HostedRuns | undefined;
  hourlyUsage(org: string): Promise<readonly UsageRow[]>;
}
