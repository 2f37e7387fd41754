/** Requests to the gateway. */

export interface GatewayRequest {
  readonly method?: "GET" | "POST" | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer's head, milliseconds; absent = as long as it takes. */
  readonly timeoutMs?: number | undefined;
}

export interface GatewayClient {
  /** Without `/v1` and without a trailing slash. */
  readonly url: string;
  /** Rejects where the gateway cannot be reached; any HTTP status is an answer. */
  send(path: string, request?: GatewayRequest): Promise<Response>;
}

export function gatewayClient(
  { url, key }: { readonly url: string; readonly key: string },
  fetcher: (request: Request) => Promise<Response>,
): GatewayClient {
  return {
    url,
    send(path, { method, body, headers, signal, timeoutMs } = {}) {
      const signals = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)];
      const present = signals.filter((one) => one !== undefined);
      return fetcher(
        new Request(`${url}${path}`, {
          method: method ?? (body === undefined ? "GET" : "POST"),
          headers: {
            authorization: `Bearer ${key}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers,
          },
          // A redirect would carry the key to wherever it points.
          redirect: "error",
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          ...(present.length === 0 ? {} : { signal: AbortSignal.any(present) }),
        }),
      );
    },
  };
}
