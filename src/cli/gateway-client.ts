import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { isRecord } from "../json/record.ts";
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
  /** Sends a request and parses its JSON answer with `parse` (a zod schema's `.parse`, say). Failures are `CliError`s. */
  json<T>(path: string, parse: (body: unknown) => T, request?: GatewayRequest): Promise<T>;
  /** The raw answer of a 2xx; anything else is thrown as `CliError`. */
  send(path: string, request?: GatewayRequest): Promise<Response>;
}

export interface GatewayRequest {
  readonly method?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
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

export function createGateway(url: string, key: string, fetcher: typeof fetch, signal: AbortSignal): Gateway {
  const send = async (path: string, request: GatewayRequest = {}): Promise<Response> => {
    const headers: Record<string, string> = { authorization: `Bearer ${key}`, ...request.headers };
    if (request.body !== undefined) headers["content-type"] = "application/json";
    let response: Response;
    try {
      response = await fetcher(`${url}${path}`, {
        method: request.method ?? (request.body === undefined ? "GET" : "POST"),
        headers,
        signal,
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
    } catch (cause) {
      if (signal.aborted) throw new CliError("cli.interrupted", "interrupted", { exitCode: EXIT.interrupted, cause });
      throw new CliError("gateway.unreachable", `cannot reach ${url}`, {
        exitCode: EXIT.unreachable,
        fix: "is it running? start it with `modelrig dev`, or check MODELRIG_URL",
        cause,
      });
    }
    if (!response.ok) throw await refusal(response, url, path);
    return response;
  };
  return {
    url,
    key,
    send,
    async json(path, parse, request) {
      const response = await send(path, request);
      try {
        return parse(await response.json());
      } catch (cause) {
        throw new CliError("gateway.unexpected_answer", `${url}${path} answered something this version cannot read`, {
          fix: "is the gateway of the same modelrig version?",
          cause,
        });
      }
    },
  };
}

async function refusal(response: Response, url: string, path: string): Promise<CliError> {
  const error = errorOf(await response.text());
  const message = typeof error?.["message"] === "string" ? error["message"] : `HTTP ${response.status}`;
  if (response.status === 401 || response.status === 403) {
    return new CliError("gateway.refused", `${url} refused the key: ${message}`, {
      exitCode: EXIT.auth,
      fix: response.status === 401 ? "check MODELRIG_KEY" : "use a key with the scope named above",
    });
  }
  const exitCode = response.status >= 502 && response.status <= 504 ? EXIT.unreachable : EXIT.unexpected;
  return new CliError(`gateway.http_${response.status}`, `${path}: ${message}`, { exitCode, details: error });
}

/** What the gateway says of its refusal; undefined where it was not the gateway that refused. */
function errorOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const error = isRecord(body) ? body["error"] : undefined;
    return isRecord(error) ? error : undefined;
  } catch {
    return undefined;
  }
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
