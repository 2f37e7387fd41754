/**
 * A provider of every dialect on loopback. What it is asked is told by the path; what it answers, by the model's name:
 * `text`, `calls`, `json`, `think`, `steps` (two calls one after the other, then text), `shell` (a command for the shell that
 * the client offers, then text), `cut` (the connection is destroyed within the answer), `stall` (half of an answer, then
 * nothing until the client leaves), or `status-<n>` for an error of that status in the dialect's own shape.
 * `GET /left` counts the streams that clients left, `GET /asked` the requests.
 */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { DialectName } from "../../../src/wire/chat.ts";
import { type Said, type SaidAnswer, sayAnthropic, sayChat, sayGemini, sayResponses } from "./dialect-answers.ts";
import { listen } from "./http-server.ts";

export interface AskedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of four APIs
  readonly body: any;
}

export interface DialectUpstream {
  readonly url: string;
  /** Every request so far, in order. */
  readonly asked: AskedRequest[];
  close(): Promise<void>;
}

const ANSWERS: Record<string, SaidAnswer> = {
  text: { text: "Grüße aus Oslo 🙂" },
  json: { text: '{"city":"Oslo","population":717710}' },
  calls: {
    text: "Let me look.",
    calls: [
      { id: "call_oslo", name: "weather", args: { place: "Oslo" } },
      { id: "call_rome", name: "weather", args: { place: "Rome" } },
    ],
  },
  think: { thought: { text: "Which city?", signature: "c2lnbmVk" }, text: "Oslo" },
};

/** Answers of `steps`, by how many tool results the request holds. */
const STEPS: readonly SaidAnswer[] = [
  { calls: [{ id: "call_oslo", name: "weather", args: { place: "Oslo" } }] },
  { calls: [{ id: "call_rome", name: "weather", args: { place: "Rome" } }] },
  { text: "Both are mild." },
];
const TOOL_RESULT = /"role":"tool"|"type":"function_call_output"|"type":"tool_result"|"functionResponse":/g;

/** The one tool that a request demands, in the words of its dialect. */
function forcedTool({ tool_choice, toolConfig }: AskedRequest["body"]): string | undefined {
  return (
    tool_choice?.function?.name ?? tool_choice?.name ?? toolConfig?.functionCallingConfig?.allowedFunctionNames?.[0]
  );
}

function answerOf(model: string, body: AskedRequest["body"]): SaidAnswer | undefined {
  if (model === "shell") return /rig-works-7/.test(JSON.stringify(body)) ? { text: "It works." } : commandFor(body);
  const forced = model === "json" ? forcedTool(body) : undefined;
  if (forced !== undefined)
    return { calls: [{ id: "call_forced", name: forced, args: { city: "Oslo", population: 717710 } }] };
  return model === "steps" ? STEPS[JSON.stringify(body).match(TOOL_RESULT)?.length ?? 0] : ANSWERS[model];
}

/** A call of the shell among the tools of a request, or text where there is none. */
function commandFor(body: AskedRequest["body"]): SaidAnswer {
  const declared = (body.tools ?? []).flatMap((tool: AskedRequest["body"]) => tool.functionDeclarations ?? [tool]);
  const tool = declared
    .map((each: AskedRequest["body"]) => each.function ?? each)
    .find(({ name }: { name?: string }) => /^(?:bash|shell|exec_command|shell_command)$/.test(name ?? ""));
  if (tool === undefined) return { text: "There is no shell." };
  const { properties = {} } = tool.parameters ?? tool.input_schema ?? tool.parametersJsonSchema ?? {};
  const field = "cmd" in properties ? "cmd" : "command";
  const command = "echo rig-works-$((3 + 4))";
  const args = {
    [field]: /array/i.test(String(properties[field]?.type)) ? ["bash", "-lc", command] : command,
    ...("description" in properties && { description: "Tries the shell" }),
  };
  return { calls: [{ id: "call_shell", name: tool.name, args }] };
}

const SAY: Record<DialectName, (answer: SaidAnswer, stream: boolean) => Said> = {
  "openai-chat": sayChat,
  "openai-responses": sayResponses,
  "anthropic-messages": sayAnthropic,
  gemini: sayGemini,
};

/** `more`: further answers, by the model's name. */
export async function startDialectUpstream(more: Readonly<Record<string, SaidAnswer>> = {}): Promise<DialectUpstream> {
  const asked: AskedRequest[] = [];
  let left = 0;
  const server = await listen(async (request, response) => {
    if (request.method === "GET") return void response.end(String(request.url === "/left" ? left : asked.length));
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const entry = { path: request.url ?? "", headers: request.headers, body: JSON.parse(text || "{}") };
    asked.push(entry);
    response.on("close", () => {
      if (!response.writableFinished) left += 1;
    });
    send(replyTo(entry, more), entry, response);
  });
  return { ...server, asked };
}

function dialectOf(path: string): DialectName {
  if (path.includes("Content")) return "gemini";
  if (path.includes("/messages")) return "anthropic-messages";
  return path.endsWith("/responses") ? "openai-responses" : "openai-chat";
}

type Reply = { readonly status: number; readonly body: unknown } | Extract<Said, { events: unknown }>;

function replyTo({ path, body }: AskedRequest, more: Readonly<Record<string, SaidAnswer>>): Reply {
  const ok = (value: unknown): Reply => ({ status: 200, body: value });
  if (path.endsWith("/count_tokens")) return ok({ input_tokens: 42 });
  if (path.endsWith("/embeddings")) return ok(embeddings(body));
  if (path.endsWith(":embedContent")) return ok({ embedding: { values: [0.5, -0.25] } });
  if (path.endsWith(":batchEmbedContents"))
    return ok({ embeddings: body.requests.map((_: unknown, index: number) => ({ values: [index, 0.5] })) });
  const model = modelOf({ path, body });
  const dialect = dialectOf(path);
  const status = /^status-(\d+)$/.exec(model)?.[1];
  if (status !== undefined) return { status: Number(status), body: errorOf(dialect, Number(status)) };
  const stream = body.stream === true || path.includes(":streamGenerateContent");
  const said = SAY[dialect](answerOf(model, body) ?? more[model] ?? ANSWERS["text"] ?? {}, stream);
  return "body" in said ? ok(said.body) : said;
}

function modelOf({ path, body }: Pick<AskedRequest, "path" | "body">): string {
  return /models\/([^:]+):/.exec(path)?.[1] ?? body.model;
}

function send(reply: Reply, request: AskedRequest, response: ServerResponse): void {
  const pieces = "status" in reply ? halvesOf(JSON.stringify(reply.body)) : framesOf(reply.events, request.path);
  const type = "status" in reply ? "application/json" : "text/event-stream";
  response.writeHead("status" in reply ? reply.status : 200, { "content-type": type });
  const model = modelOf(request);
  const whole = model !== "cut" && model !== "stall";
  for (const piece of whole ? pieces : pieces.slice(0, Math.ceil(pieces.length / 2))) response.write(piece);
  if (whole) response.end();
  // What was written must have left: a reset takes it away from the reader.
  if (model === "cut") response.write("", () => setTimeout(() => response.destroy(), 50));
}

function halvesOf(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function framesOf(events: Extract<Said, { events: unknown }>["events"], path: string): string[] {
  const end = dialectOf(path) === "gemini" ? "\r\n\r\n" : "\n\n";
  return events.map(([event, data]) => {
    const payload = typeof data === "string" ? data : JSON.stringify(data);
    return `${event === undefined ? "" : `event: ${event}\n`}data: ${payload}${end}`;
  });
}

function embeddings(body: { input: string | string[]; encoding_format?: string }) {
  const inputs = [body.input].flat();
  const vector =
    body.encoding_format === "base64"
      ? Buffer.from(Float32Array.of(0.5, -0.25).buffer).toString("base64")
      : [0.5, -0.25];
  return {
    object: "list",
    model: "m",
    data: inputs.map((_, index) => ({ object: "embedding", index, embedding: vector })),
    usage: { prompt_tokens: 8, total_tokens: 8 },
  };
}

function errorOf(dialect: DialectName, status: number): unknown {
  const message = `upstream says ${status}`;
  if (dialect === "anthropic-messages")
    return { type: "error", error: { type: status === 429 ? "rate_limit_error" : "api_error", message } };
  if (dialect === "gemini")
    return { error: { code: status, message, status: status === 429 ? "RESOURCE_EXHAUSTED" : "INTERNAL" } };
  return { error: { message, type: status === 429 ? "rate_limit_error" : "server_error", code: null, param: null } };
}
