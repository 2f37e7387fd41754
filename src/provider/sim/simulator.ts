/**
 * The simulated provider: an OpenAI chat completions upstream that never touches a network.
 *
 * Equal requests get equal answers. Only what passes by itself (shed load, server errors, noisy JSON) also depends on
 * the attempt: the `x-sim-attempt` header where present, else how often this simulator has seen the same request.
 */
import { isRecord } from "../../json/record.ts";
import { type SimAnswer, simulatedAnswer, simulatedTokens } from "./answer.ts";
import { draw } from "./draw.ts";
import { SIM_MODELS, type SimModel } from "./models.ts";
import { readRequest, type SimRequest } from "./request.ts";
import { type Envelope, type SimUsage, streamBody, TOKENS_PER_CHUNK } from "./stream.ts";

interface SimClock {
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

interface SimOptions {
  /** Factor on every simulated delay; 0 answers at once. */
  readonly latency?: number | undefined;
}

export type SimFetch = (request: Request, clock: SimClock, options?: SimOptions) => Promise<Response>;

const SIMULATED_HEADER = "x-simulated";

/** Most requests remembered; the oldest are forgotten first. */
const REMEMBERED = 4_096;

/** Returns a simulator with its own memory of attempts. */
export function createSimulator(): SimFetch {
  const seen = new Map<string, number>();
  const countAttempt = (request: Request, key: string): number => {
    const told = Number(request.headers.get("x-sim-attempt") ?? "NaN");
    if (Number.isInteger(told)) return told;
    const attempt = seen.get(key) ?? 0;
    seen.delete(key);
    seen.set(key, attempt + 1);
    for (const oldest of seen.keys()) {
      if (seen.size <= REMEMBERED) break;
      seen.delete(oldest);
    }
    return attempt;
  };
  return async function simulate(request, clock, { latency = 1 } = {}) {
    if (request.method === "GET" && new URL(request.url).pathname.endsWith("/models")) return modelList();
    const text = await request.text();
    const body = parsed(text);
    const asked = isRecord(body) ? readRequest(body) : undefined;
    if (!asked)
      return refusal(400, "invalid_request_error", "invalid_body", "messages must be a non-empty list", "messages");
    const model = SIM_MODELS.find(({ id }) => id === asked.model);
    if (!model)
      return refusal(
        404,
        "invalid_request_error",
        "model_not_found",
        `there is no simulated model of this name`,
        "model",
      );
    const key = String(draw(text));
    const attempt = countAttempt(request, key);
    const refused = refusalOf(model, asked, attempt, key);
    const wait = (ms: number) => pause(ms * latency, clock, request.signal);
    await wait(refused ? 20 : model.firstTokenMs);
    if (refused) return refused;
    const answers = Array.from({ length: asked.choices }, (_, choice) =>
      simulatedAnswer(model, asked, attempt, choice),
    );
    const envelope = envelopeOf(model, key);
    const usage = usageOf(asked, answers);
    if (asked.stream) {
      const perToken = () => wait(model.perTokenMs * TOKENS_PER_CHUNK);
      return new Response(streamBody(answers, envelope, asked.includeUsage ? usage : undefined, perToken), {
        headers: { "content-type": "text/event-stream; charset=utf-8", ...LABEL },
      });
    }
    await wait(model.perTokenMs * usage.completion_tokens);
    return Response.json(
      { ...envelope, object: "chat.completion", choices: answers.map(choiceOf), usage },
      { headers: LABEL },
    );
  };
}

/** The simulator of this process or isolate. */
export const simFetch: SimFetch = createSimulator();

const LABEL = { [SIMULATED_HEADER]: "true" };

/** The body contains no time, so equal requests give equal bytes. */
function envelopeOf(model: SimModel, key: string): Envelope {
  const id = `chatcmpl-sim-${Math.floor(draw(key, "id") * 2 ** 32)
    .toString(16)
    .padStart(8, "0")}`;
  return { id, created: 1_767_225_600, model: model.id, system_fingerprint: "sim", simulated: true };
}

function choiceOf(answer: SimAnswer, index: number) {
  const calls = answer.toolCalls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  const message = {
    role: "assistant",
    content: calls.length > 0 ? null : answer.text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return { index, message, logprobs: null, finish_reason: answer.finish };
}

function usageOf(request: SimRequest, answers: readonly SimAnswer[]): SimUsage {
  const prompt = simulatedTokens(request.promptText);
  const written = answers.map(({ text, toolCalls }) =>
    simulatedTokens(text + toolCalls.map((call) => call.name + call.arguments).join("")),
  );
  const completion = Math.max(
    1,
    written.reduce((sum, tokens) => sum + tokens, 0),
  );
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function refusalOf(model: SimModel, request: SimRequest, attempt: number, key: string): Response | undefined {
  if (request.enforced && model.capabilities.native_strict !== true) {
    return refusal(
      400,
      "invalid_request_error",
      "unsupported_value",
      `${model.id} does not enforce a JSON schema`,
      "response_format",
    );
  }
  const needed = simulatedTokens(request.promptText);
  if (needed > model.contextWindow) {
    const message = `this model's maximum context length is ${model.contextWindow} tokens; the messages have ${needed}`;
    return refusal(400, "invalid_request_error", "context_length_exceeded", message, "messages");
  }
  if (draw(key, attempt, "shed") < model.shedRate) {
    return refusal(429, "rate_limit_error", "rate_limit_exceeded", "simulated load shedding", null, {
      "retry-after": "0",
    });
  }
  if (draw(key, attempt, "error") < model.errorRate)
    return refusal(500, "server_error", "server_error", "simulated server error", null);
  return undefined;
}

function refusal(
  status: number,
  type: string,
  code: string,
  message: string,
  param: string | null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(
    { error: { message, type, param, code }, simulated: true },
    { status, headers: { ...LABEL, ...headers } },
  );
}

function modelList(): Response {
  const data = SIM_MODELS.map(({ id }) => ({ id, object: "model", created: 1_767_225_600, owned_by: "sim" }));
  return Response.json({ object: "list", data, simulated: true }, { headers: LABEL });
}

async function pause(ms: number, clock: SimClock, signal: AbortSignal): Promise<void> {
  if (ms > 0) await clock.sleep(ms, signal);
  signal.throwIfAborted();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused like any other unusable body.
    return undefined;
  }
}
