import type { ConnectionPool } from "./connection-pool.ts";
import { hranaErrorAnswer } from "./hrana-error.ts";
import { decodeCursor, decodePipeline } from "./hrana-request.ts";
import { type BatchResult, HranaStream, type StreamResult } from "./hrana-stream.ts";
import { HranaProtocolError } from "./hrana-value.ts";
import type { IdleStreams } from "./idle-streams.ts";
import type { HranaAnswer, HranaEndpoint } from "./process-messages.ts";

/** Answers requests of Hrana over HTTP on the streams of one process. */
export class HranaService {
  readonly #pool: ConnectionPool;
  readonly #streams: IdleStreams;

  constructor(pool: ConnectionPool, streams: IdleStreams) {
    this.#pool = pool;
    this.#streams = streams;
  }

  /** Never rejects: what goes wrong is the answer. An aborted request leaves no stream open. */
  async answer(endpoint: HranaEndpoint, body: string, signal: AbortSignal): Promise<HranaAnswer> {
    try {
      const json = parseJson(body);
      const text = endpoint === "pipeline" ? await this.#pipeline(json, signal) : await this.#cursor(json, signal);
      return { status: 200, body: text };
    } catch (cause) {
      return hranaErrorAnswer(cause);
    }
  }

  async #pipeline(json: unknown, signal: AbortSignal): Promise<string> {
    const { baton, requests } = decodePipeline(json);
    const results: StreamResult[] = [];
    const next = await this.#onStream(baton, signal, async (stream) => {
      for (const request of requests) results.push(await stream.handle(request));
    });
    return JSON.stringify({ baton: next, base_url: null, results });
  }

  async #cursor(json: unknown, signal: AbortSignal): Promise<string> {
    const { baton, steps } = decodeCursor(json);
    const entries: unknown[] = [];
    const next = await this.#onStream(baton, signal, async (stream) => {
      entries.push(...cursorEntries(await stream.batch(steps)));
    });
    return [{ baton: next, base_url: null }, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
  }

  /** Returns the baton for the next request; `null` where the stream is closed. */
  async #onStream(
    baton: string | undefined,
    signal: AbortSignal,
    work: (stream: HranaStream) => Promise<void>,
  ): Promise<string | null> {
    const stream = baton === undefined ? new HranaStream(this.#pool) : this.#streams.resume(baton);
    const close = (): void => stream.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      await work(stream);
    } catch (cause) {
      stream.close();
      throw cause;
    } finally {
      signal.removeEventListener("abort", close);
    }
    return stream.closed ? null : this.#streams.park(stream);
  }
}

/** The entries of a cursor: for each step that ran its columns, its rows and its end, or its error. */
function* cursorEntries({ step_results, step_errors }: BatchResult): Generator<unknown> {
  for (const [step, result] of step_results.entries()) {
    const error = step_errors[step];
    if (error) yield { type: "step_error", step, error };
    if (!result) continue;
    const { cols, rows, ...end } = result;
    yield { type: "step_begin", step, cols };
    for (const row of rows) yield { type: "row", row };
    yield { type: "step_end", ...end };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HranaProtocolError("the request body is not JSON");
  }
}
