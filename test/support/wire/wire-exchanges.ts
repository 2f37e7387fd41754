/** The recorded provider traffic of `corpus/wire` as one list of request and response pairs, framings undone. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { corpusAvailable, corpusPath, readJson, readJsonl, readText } from "./corpus.ts";

export type WireApi = "chat.completions" | "responses" | "messages" | "generateContent" | "cohere chat v2" | "other";

export interface WireExchange {
  /** File without ending, and the position where the file holds several: `openai/oai-stream-sync#1`. */
  readonly key: string;
  /** Path below the corpus. */
  readonly file: string;
  readonly api: WireApi;
  /** What it exercises, from the index. */
  readonly note: string;
  /** Absent where only the answer was recorded. */
  readonly request?: { readonly url: string; readonly body: unknown } | undefined;
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** As it came, or framed as the corpus says. */
    readonly text: string;
    readonly stream: boolean;
  };
}

interface IndexRow {
  readonly file: string;
  readonly kind: string;
  readonly note: string;
}

interface Recorded {
  readonly request: { readonly url: string; readonly body?: unknown };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly body_text?: string;
    readonly body_file?: string;
  };
}

/** Every exchange of the given dialect; all of them without one. Empty where the corpus is absent. */
export function wireExchanges(...apis: readonly WireApi[]): WireExchange[] {
  if (!corpusAvailable) return [];
  const all = indexRows().flatMap(exchangesOf);
  return apis.length === 0 ? all : all.filter((exchange) => apis.includes(exchange.api));
}

function indexRows(): IndexRow[] {
  const [, ...lines] = readText("wire", "INDEX.tsv").split("\n");
  return lines
    .filter((line) => line.includes("\t"))
    .flatMap((line) => {
      const [file = "", , kind = "", , , , note = ""] = line.split("\t");
      return file.endsWith(".jsonl") ? [] : [{ file, kind, note }];
    });
}

function exchangesOf(row: IndexRow): WireExchange[] {
  const key = join(basename(dirname(row.file)), basename(row.file)).replace(/\.(chunks\.txt|sse|json)$/, "");
  const base = { file: row.file, note: row.note };
  const api = apiOf(row.kind);
  if (row.file.endsWith(".sse")) return [{ ...base, key, api, response: streamed(readText(row.file)) }];
  if (row.file.endsWith(".chunks.txt")) return [{ ...base, key, api, response: streamed(framed(row.file, api)) }];
  const value = readJson<{
    readonly exchanges?: readonly Recorded[];
    readonly error?: { readonly code?: unknown } | null;
  }>(row.file);
  if (value.exchanges === undefined) return [{ ...base, key, api, response: bare(value) }];
  const several = value.exchanges.length > 1;
  return value.exchanges.map((exchange, index) => ({
    ...base,
    key: several ? `${key}#${index}` : key,
    api: apiOfUrl(exchange.request.url),
    request: { url: exchange.request.url, body: exchange.request.body },
    response: recordedResponse(exchange.response, dirname(row.file)),
  }));
}

function apiOf(kind: string): WireApi {
  const known: readonly WireApi[] = ["chat.completions", "responses", "messages", "generateContent", "cohere chat v2"];
  const found = known.find((api) => kind.startsWith(api));
  return found ?? "responses";
}

/** Some recordings hold requests to other APIs on the way. */
function apiOfUrl(url: string): WireApi {
  const path = new URL(url).pathname;
  if (/\/chat\/completions$/.test(path)) return "chat.completions";
  if (/\/responses(\/|$)/.test(path)) return "responses";
  if (/\/messages$/.test(path)) return "messages";
  if (/:(stream)?generateContent$/i.test(path)) return "generateContent";
  return path.endsWith("/chat") ? "cohere chat v2" : "other";
}

function streamed(text: string): WireExchange["response"] {
  return { status: 200, headers: { "content-type": "text/event-stream" }, text, stream: true };
}

/** One payload per line; Anthropic and Responses name the event, chat completions end with `[DONE]`. */
function framed(file: string, api: WireApi): string {
  const lines = readText(file)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const named = api === "messages" || api === "responses";
  const events = lines.map((line) => {
    const type = named ? /"type":"([^"]+)"/.exec(line)?.[1] : undefined;
    return `${type === undefined ? "" : `event: ${type}\n`}data: ${line}\n\n`;
  });
  return events.join("") + (api === "chat.completions" ? "data: [DONE]\n\n" : "");
}

/** A bare body; where it is an error its status is in the code (Gemini) or the usual 400. */
function bare(value: { readonly error?: { readonly code?: unknown } | null }): WireExchange["response"] {
  const code = value.error?.code;
  const status = value.error == null ? 200 : typeof code === "number" ? code : 400;
  return { status, headers: { "content-type": "application/json" }, text: JSON.stringify(value), stream: false };
}

function recordedResponse(response: Recorded["response"], folder: string): WireExchange["response"] {
  const { status, headers = {}, body, body_text, body_file } = response;
  const stream = body_file !== undefined || (headers["content-type"] ?? "").includes("event-stream");
  const path = body_file === undefined ? undefined : corpusPath(folder, body_file);
  const text =
    path !== undefined && existsSync(path)
      ? readText(folder, body_file ?? "")
      : (body_text ?? JSON.stringify(body) ?? "");
  return { status, headers, text, stream };
}

export interface ObservedError {
  readonly id: string;
  readonly provider: string;
  readonly where: "http" | "sse";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly note: string;
}

/** Error answers seen in public reports. */
export function observedErrors(): ObservedError[] {
  return corpusAvailable ? readJsonl<ObservedError>("wire", "errors-observed.jsonl") : [];
}
