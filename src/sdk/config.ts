/** What a rig is made of, from code and from the environment. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { RigConfigError } from "./errors.ts";

export interface RigConfig {
  /** The project: relative names start here, and `.modelrig/` is kept here. Default: the process's own folder. */
  readonly cwd?: string | undefined;
  /**
   * Folder of route bundles. `null` = a raw-only rig. Default `routes`, which may be missing: the rig is raw-only then,
   * and says so. A folder named here and missing is an error.
   */
  readonly routesDir?: string | null | undefined;
  /** Configuration file. Default `modelrig.yaml`, where it exists. */
  readonly configFile?: string | undefined;
  /** The gateway's URL, with or without `/v1`. Without it, or without a key, nothing is sent anywhere. */
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  /** `in-process` calls providers from here, with the keys in `env`; `gateway` sends every call through the gateway. */
  readonly via?: "in-process" | "gateway" | undefined;
  /** Slug of the org the key must belong to. While it does not, nothing is sent, and every flush says so. */
  readonly expectOrg?: string | undefined;
  /** Names of provider keys to their values. Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Sends every request, to providers and to the gateway. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Takes each warning, one line of text. Default: standard error. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Longest that a record waits before it is sent, milliseconds. Default 1000. */
  readonly flushIntervalMs?: number | undefined;
  /** Longest that `close()` takes, milliseconds. Default 5000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Bounds of the records kept on this machine; the oldest go first. Default 256 MB and 30 days. */
  readonly buffer?: { readonly maxMb?: number | undefined; readonly keepDays?: number | undefined } | undefined;
  /** Content of saved artifacts is sent along. `false` = only its hash and size. Default true. */
  readonly artifactContent?: boolean | undefined;
  /** `false` = calls, runs, artifacts and grades leave no record, neither here nor at the gateway. Default true. */
  readonly record?: boolean | undefined;
}

/**
 * Reads `MODELRIG_URL`, `MODELRIG_KEY` (or `MODELRIG_API_KEY`), `MODELRIG_VIA`, `MODELRIG_EXPECT_ORG` and
 * `MODELRIG_ROUTES_DIR`; what is not set is absent. Throws `RigConfigError` on a `MODELRIG_VIA` that is no such way.
 *
 * @example
 * const own = createRig({ ...loadConfigFromEnv(), closeTimeoutMs: 2_000 });
 * await own.close();
 */
export function loadConfigFromEnv(env: Readonly<Record<string, string | undefined>> = process.env): RigConfig {
  const via = env["MODELRIG_VIA"] || undefined;
  if (via !== undefined && via !== "gateway" && via !== "in-process") {
    throw new RigConfigError("config.via", `MODELRIG_VIA is gateway or in-process, not ${JSON.stringify(via)}`);
  }
  return present({
    url: env["MODELRIG_URL"] || undefined,
    key: env["MODELRIG_KEY"]?.trim() || env["MODELRIG_API_KEY"]?.trim() || undefined,
    via,
    expectOrg: env["MODELRIG_EXPECT_ORG"] || undefined,
    routesDir: env["MODELRIG_ROUTES_DIR"] || undefined,
    env,
  });
}

/** A configuration with every default applied. */
export interface ResolvedConfig {
  readonly cwd: string;
  /** Absent = raw-only. */
  readonly routesDir: string | undefined;
  readonly configFile: string | undefined;
  readonly gateway: { readonly url: string; readonly key: string } | undefined;
  readonly via: "in-process" | "gateway";
  readonly expectOrg: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly flushIntervalMs: number;
  readonly closeTimeoutMs: number;
  readonly buffer: { readonly maxBytes: number; readonly keepMs: number };
  readonly artifactContent: boolean;
  readonly record: boolean;
}

const KEY = /^rig_sk_[A-Za-z0-9_-]+$/;

/** Throws `RigConfigError` on what can never work; says by `warn` what works less than was meant. */
export function resolveConfig(config: RigConfig, warn: (message: string) => void): ResolvedConfig {
  const cwd = resolve(config.cwd ?? process.cwd());
  const via = config.via ?? "in-process";
  const gateway = gatewayOf(config, warn);
  if (via === "gateway" && !gateway) {
    throw new RigConfigError("config.no_gateway", "via: gateway needs a gateway", "set MODELRIG_URL and MODELRIG_KEY");
  }
  const { maxMb = 256, keepDays = 30 } = config.buffer ?? {};
  return {
    cwd,
    routesDir: routesDirOf(config, cwd, via, gateway !== undefined, warn),
    configFile: config.configFile,
    gateway,
    via,
    expectOrg: config.expectOrg,
    env: config.env ?? process.env,
    fetch: config.fetch ?? ((request) => fetch(request)),
    flushIntervalMs: config.flushIntervalMs ?? 1_000,
    closeTimeoutMs: config.closeTimeoutMs ?? 5_000,
    buffer: { maxBytes: maxMb * 1024 * 1024, keepMs: keepDays * 86_400_000 },
    artifactContent: config.artifactContent ?? true,
    record: config.record ?? true,
  };
}

function gatewayOf({ url, key }: RigConfig, warn: (message: string) => void): ResolvedConfig["gateway"] {
  if (url === undefined && key === undefined) return undefined;
  if (url === undefined) {
    warn("there is a key but no gateway URL, so records stay on this machine; set MODELRIG_URL");
    return undefined;
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new RigConfigError("config.url", `the gateway's URL is no http(s) URL: ${JSON.stringify(url)}`);
  }
  if (key === undefined) {
    warn("there is a gateway URL but no key, so records stay on this machine; set MODELRIG_KEY");
    return undefined;
  }
  if (!KEY.test(key)) {
    const why = "the key is malformed (truncated, quoted or padded?); paste the whole rig_sk_… secret again";
    throw new RigConfigError("config.key", why);
  }
  return { url: url.replace(/\/+$/, "").replace(/\/v1$/, ""), key };
}

function routesDirOf(
  { routesDir }: RigConfig,
  cwd: string,
  via: ResolvedConfig["via"],
  hasGateway: boolean,
  warn: (message: string) => void,
): string | undefined {
  if (routesDir === null) return undefined;
  const folder = resolve(cwd, routesDir ?? "routes");
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder;
  if (routesDir !== undefined) {
    const fix = "create it with `modelrig routes new`, or pass routesDir: null for a rig without routes";
    throw new RigConfigError("routes.not_found", `there is no routes folder ${folder}`, fix);
  }
  if (via === "in-process") {
    const gateway = hasGateway ? `; pass via: "gateway" (MODELRIG_VIA=gateway) to run the gateway's routes` : "";
    warn(
      `there is no folder ${folder}, so this rig is raw-only${gateway}; pass routesDir: null to say that this is meant`,
    );
  }
  return undefined;
}

/** Without its undefined members, so that spreading it overrides nothing with nothing. */
function present<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
