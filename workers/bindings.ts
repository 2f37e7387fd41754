import type { SpendEnvelopes } from "../durable/spend-envelopes.ts";
import type { CompiledBundle } from "../src/config/config.ts";
import type { HostedParams } from "./background/hosted-runs.ts";

/**
 * Bindings, variables and secrets of the Worker. Only `compose.ts` reads them. Provider keys are read by the names in
 * the provider table (`OPENAI_API_KEY`, …) and are therefore not listed.
 */
export interface Env {
  /** Objects of `RouteBreaker`; built on itty-durable, which has no native RPC, hence no type argument. */
  readonly ROUTE_BREAKER: DurableObjectNamespace;
  readonly SPEND_ENVELOPES: DurableObjectNamespace<SpendEnvelopes>;
  /** Absent = telemetry is written straight to the database after the response. */
  readonly TELEMETRY?: Queue<unknown> | undefined;
  /** Absent = no hosted bake-offs. */
  readonly HOSTED_BAKEOFFS?: Workflow<HostedParams> | undefined;
  readonly TURSO_DATABASE_URL?: string | undefined;
  readonly TURSO_AUTH_TOKEN?: string | undefined;
  /** Routes and configuration in the place of those embedded at build time; set by `modelrig dev`. */
  readonly MODELRIG_COMPILED?: CompiledBundle | undefined;
  /** `1` lets the simulated provider serve; set by `modelrig dev`. */
  readonly MODELRIG_SIM?: string | undefined;
  /** Keys that seal text at rest; see `src/custody/keyring.ts`. */
  readonly MODELRIG_STORE_KEY?: string | undefined;
  readonly MODELRIG_DEV_TOKEN?: string | undefined;
  /** Tokens that may read one tag's rows by `/query`; see `src/query/query-tokens.ts`. */
  readonly MODELRIG_QUERY_TOKENS?: string | undefined;
}
