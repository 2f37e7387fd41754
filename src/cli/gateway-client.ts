import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import {
  type Called,
  type EndpointCall,
  gatewayClient,
  gatewayErrorOf,
  queryText,
  type Reading,
} from "../api/client.ts";
import type { AnswerOf, Endpoint } from "../api/endpoint.ts";
import { CliError, EXIT, type Io } from "./command.ts";
import { readDevState } from "./dev-state.ts";

/** Values of the options added by `addGatewayOptions`. */
export interface GatewayOptions {
  readonly url?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface Gateway {
  /** Without `/v1` and without a trailing slash. */
  readonly url: string;
  readonly key: string;
  /** Sends a request of the contract. Every failure is a `CliError`: `gateway.http_<status>` where the gateway refused. */
  call<E extends Endpoint, Answer = AnswerOf<E>>(
    endpoint: E,
    options: EndpointCall<E> & Partial<Reading<Answer>>,
  ): Promise<Answer>;
  /** Sends a GET whose answer is read while it arrives. It fails as `call` does until the answer begins. */
  open(endpoint: Endpoint, query: Readonly<Record<string, string | undefined>>): Promise<Response>;
}

/** Adds `--url` and `--key-file` to a command that talks to a gateway. */
export function addGatewayOptions(command: Command): Command {
  return command
    .option("--url <url>", "gateway URL without /v1 (env MODELRIG_URL; default: the local `modelrig dev`)")
    .option("--key-file <file>", "file that holds the key (env MODELRIG_KEY)");
}

/** Flag > MODELRIG_URL / MODELRIG_KEY > what `modelrig dev` left in `.modelrig/dev.json`. */
export function gatewayFrom(io: Io, options: GatewayOptions, fetcher: typeof fetch = fetch): Gateway {
  const dev = readDevState(io.cwd);
  const url = options.url ?? io.env["MODELRIG_URL"] ?? dev?.url;
  if (!url) {
    throw new CliError("gateway.no_url", "no gateway to talk to", {
      exitCode: EXIT.usage,
      fix: "start one with `modelrig dev`, or set MODELRIG_URL",
    });
  }
  // The local key must never travel to another gateway than the local one.
  const devKey = dev?.url !== undefined && sameOrigin(dev.url, url) ? dev.key : undefined;
  const key = options.keyFile ? readKeyFile(io, options.keyFile) : (io.env["MODELRIG_KEY"] ?? devKey);
  if (!key) {
    throw new CliError("gateway.no_key", `no key for ${url}`, { exitCode: EXIT.auth, fix: "set MODELRIG_KEY" });
  }
  return createGateway(url.replace(/\/+$/, "").replace(/\/v1$/, ""), key, fetcher, io.signal);
}

/** The same; `undefined` where none is configured. */
export function configuredGateway(io: Io, options: GatewayOptions): Gateway | undefined {
  try {
    return gatewayFrom(io, options);
  } catch (cause) {
    if (cause instanceof CliError && cause.code === "gateway.no_url") return undefined;
    throw cause;
  }
}

function createGateway(url: string, key: string, fetcher: typeof fetch, signal: AbortSignal): Gateway {
  const client = gatewayClient({ url, key, signal, fetch: (request) => fetcher(request) });
  return {
    url,
    key,
    async call(endpoint, options) {
      const called = await client.call(endpoint, options);
      if (called.type === "answer") return called.value;
      throw faultOf(called, url, endpoint.path, signal);
    },
    async open({ path }, query) {
      const response = await client.send(`${path}${queryText(query)}`).catch((cause: unknown) => {
        throw faultOf({ type: "unreachable", cause }, url, path, signal);
      });
      if (response.ok) return response;
      const { status, headers } = response;
      throw faultOf({ type: "refusal", status, headers, error: await gatewayErrorOf(response) }, url, path, signal);
    },
  };
}

type NotAnswered = Exclude<Called<unknown>, { readonly type: "answer" }>;

function faultOf(called: NotAnswered, url: string, path: string, signal: AbortSignal): CliError {
  switch (called.type) {
    case "unreachable": {
      const { cause } = called;
      if (signal.aborted) return new CliError("cli.interrupted", "interrupted", { exitCode: EXIT.interrupted, cause });
      return new CliError("gateway.unreachable", `cannot reach ${url}`, {
        exitCode: EXIT.unreachable,
        fix: "is it running? start it with `modelrig dev`, or check MODELRIG_URL",
        cause,
      });
    }
    case "unreadable":
      return new CliError("gateway.unexpected_answer", `${url}${path} answered something this version cannot read`, {
        fix: "is the gateway of the same modelrig version?",
        cause: called.cause,
      });
    case "refusal":
      return refusalOf(called, url, path);
  }
}

function refusalOf({ status, error }: Extract<NotAnswered, { type: "refusal" }>, url: string, path: string): CliError {
  if (status === 401 || status === 403) {
    return new CliError("gateway.refused", `${url} refused the key: ${error.message}`, {
      exitCode: EXIT.auth,
      fix: status === 401 ? "check MODELRIG_KEY" : "use a key with the scope named above",
    });
  }
  const exitCode = status >= 502 && status <= 504 ? EXIT.unreachable : EXIT.unexpected;
  return new CliError(`gateway.http_${status}`, `${path}: ${error.message}`, { exitCode, details: error.fields });
}

function readKeyFile(io: Io, file: string): string {
  try {
    return readFileSync(resolve(io.cwd, file), "utf8").trim();
  } catch (cause) {
    throw new CliError("gateway.key_file", `cannot read the key file ${file}`, { exitCode: EXIT.usage, cause });
  }
}

function sameOrigin(left: string, right: string): boolean {
  return URL.canParse(left) && URL.canParse(right) && new URL(left).origin === new URL(right).origin;
}
