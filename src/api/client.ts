/** The one client of the gateway: the command line, the SDK and the tests send their requests through it. */
import type { z } from "zod";
import { isRecord } from "../json/record.ts";
import { type AnswerOf, type Endpoint, type ParamsOf, pathWith } from "./endpoint.ts";

interface ClientOptions {
  /** Without `/v1` and without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends every request when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

interface SendOptions {
  readonly method?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer's head, milliseconds; absent = as long as it takes. */
  readonly timeoutMs?: number | undefined;
}

type Params<E extends Endpoint> = keyof ParamsOf<E> extends never
  ? { readonly params?: undefined }
  : { readonly params: ParamsOf<E> };

export type EndpointCall<E extends Endpoint> = Omit<SendOptions, "method"> &
  Params<E> & {
    readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  };

/** The part of an answer that a caller needs, picked from the endpoint's own schema: another version may say less or more. */
export interface Reading<Answer> {
  readonly reads: z.ZodType<Answer>;
}

/** What came of a call: the answer, the gateway's refusal, or why there is neither. */
export type Called<Answer> =
  | { readonly type: "answer"; readonly status: number; readonly value: Answer }
  | { readonly type: "refusal"; readonly status: number; readonly error: GatewayError; readonly headers: Headers }
  /** It answered, but nothing that this version can read. */
  | { readonly type: "unreadable"; readonly status: number; readonly cause: unknown }
  | { readonly type: "unreachable"; readonly cause: unknown };

/** The gateway's error object; `fields` is all of it. Absent members were not said, or something else refused. */
interface GatewayError {
  readonly code: string | undefined;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface GatewayClient {
  readonly url: string;
  /** Rejects where the gateway cannot be reached, or points elsewhere; any HTTP status is an answer. */
  send(path: string, request?: SendOptions): Promise<Response>;
  /** Sends a request of the contract and reads its answer by the endpoint's own schema. Never rejects. */
  call<E extends Endpoint, Answer = AnswerOf<E>>(
    endpoint: E,
    options: EndpointCall<E> & Partial<Reading<Answer>>,
  ): Promise<Called<Answer>>;
}

export function gatewayClient({ url, key, fetch: send, signal: whole }: ClientOptions): GatewayClient {
  const client: GatewayClient = {
    url,
    send(path, { method, body, headers, signal, timeoutMs } = {}) {
      const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const signals = [whole, signal, timeout].filter((one) => one !== undefined);
      const request = new Request(`${url}${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        // A redirect would carry the key to wherever it points.
        redirect: "error",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      });
      return send(request);
    },
    async call(endpoint, { params, query, reads, ...options }) {
      const path = `${pathWith(endpoint.path, params ?? {})}${queryText(query)}`;
      let response: Response;
      try {
        response = await client.send(path, { ...options, method: endpoint.method.toUpperCase() });
      } catch (cause) {
        return { type: "unreachable", cause };
      }
      return await calledOf(endpoint, response, reads);
    },
  };
  return client;
}

/** Returns the query of a URL with its `?`; empty where nothing is said. */
export function queryText(query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const said = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return said.length === 0 ? "" : `?${new URLSearchParams(said)}`;
}

async function calledOf<Answer>(
  { answers }: Endpoint,
  response: Response,
  reads: z.ZodType<Answer> | undefined,
): Promise<Called<Answer>> {
  const { status, headers } = response;
  if (!response.ok) return { type: "refusal", status, headers, error: await gatewayErrorOf(response) };
  try {
    const schema = reads ?? answers[status]?.json;
    if (!schema) throw new Error(`the status ${status} is not known`);
    const value = schema.parse(await response.json()) as Answer;
    return { type: "answer", status, value };
  } catch (cause) {
    return { type: "unreadable", status, cause };
  }
}

/** What the gateway says of its refusal; of an answer that is not the gateway's, only the status. */
export async function gatewayErrorOf(response: Response): Promise<GatewayError> {
  const fields = await errorFields(response);
  const { code, message } = fields;
  return {
    code: typeof code === "string" ? code : undefined,
    message: typeof message === "string" ? message : `HTTP ${response.status}`,
    fields,
  };
}

async function errorFields(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = await response.json();
    return isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  } catch {
    return {};
  }
}
