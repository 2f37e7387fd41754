/** Calls made by the gateway, answered as those made in this process. */
import { createChatCompletion, runRoute } from "../../api/calls.ts";
import type { GatewayClient } from "../../api/client.ts";
import { pathWith } from "../../api/endpoint.ts";
import { failure } from "../../failure/failure.ts";
import { arrayAt, isRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import { RigError } from "../errors.ts";
import { reasonOf } from "../warnings.ts";
import type { CallHost, CallOptions, RawCall, RouteCall } from "./call-host.ts";
import { errorFrom } from "./gateway-error.ts";
import { gatewayStream } from "./gateway-stream.ts";
import type { RunMeta, RunResult } from "./result.ts";
import type { StreamSource } from "./stream.ts";

export function gatewayHost(gateway: GatewayClient): CallHost {
  const post = async (path: string, body: unknown, call: CallOptions, headers = {}): Promise<Response> => {
    let response: Response;
    try {
      response = await gateway.send(path, { body, headers, signal: call.signal });
    } catch (cause) {
      if (call.signal?.aborted) throw new RigError(failure("canceled", "the call was aborted"), undefined, cause);
      const message = `the gateway ${gateway.url} cannot be reached: ${reasonOf(cause)}`;
      throw new RigError(failure("network", message, { reason: "connect" }), undefined, cause);
    }
    if (!response.ok) throw await refusal(response);
    return response;
  };
  const runBody = ({ input, variant, marks }: RouteCall, stream: boolean) => ({
    input,
    ...(variant === undefined ? {} : { variant }),
    tags: marks.tags,
    ...(marks.step === undefined ? {} : { stepKey: marks.step }),
    ...(marks.run === undefined ? {} : { run: marks.run }),
    ...(stream ? { stream } : {}),
  });
  const route = (call: RouteCall, stream: boolean): Promise<Response> =>
    post(pathWith(runRoute.path, { route: call.route }), runBody(call, stream), call);
  const raw = (call: RawCall, stream: boolean): Promise<Response> => {
    const model = `${call.target.provider}/${call.target.model}`;
    const options = stream ? { stream, stream_options: { include_usage: true } } : {};
    return post(createChatCompletion.path, { ...call.body, ...options, model }, call, markHeaders(call));
  };
  return {
    run: async (call) => routeResult(await route(call, false), call),
    raw: async (call) => rawResult(await raw(call, false), call),
    stream: async (call) => await opened(await route(call, true), call, metaFrom(call, call.route, call.variant), true),
    rawStream: async (call) => await opened(await raw(call, true), call, metaFrom(call), call.schema !== undefined),
  };
}

async function opened(
  response: Response,
  call: CallOptions,
  meta: (headers: Headers) => RunMeta,
  structured: boolean,
): Promise<StreamSource> {
  const { body } = response;
  if (!body)
    throw new RigError(failure("network", "the gateway's stream has no body", { reason: "malformed_response" }));
  return await gatewayStream(body, meta(response.headers), { structured, signal: call.signal });
}

async function routeResult(response: Response, call: RouteCall): Promise<RunResult> {
  const body = await jsonOf(response);
  const meta = recordAt(body, "meta");
  return {
    output: isRecord(body) ? body["output"] : undefined,
    text: stringAt(body, "text") ?? "",
    meta: {
      ...metaFrom(call, stringAt(meta, "route"), stringAt(meta, "variant"))(response.headers),
      arm: stringAt(meta, "arm"),
      conformant: meta?.["conformant"] === undefined ? undefined : meta["conformant"] === true,
      finish: stringAt(meta, "finish"),
      costEstimated: meta?.["cost_estimated"] === true,
      latencyMs: numberAt(meta, "latency_ms"),
      usage: {
        tokensIn: numberAt(recordAt(meta, "usage"), "input_tokens"),
        tokensOut: numberAt(recordAt(meta, "usage"), "output_tokens"),
      },
    },
  };
}

async function rawResult(response: Response, call: RawCall): Promise<RunResult> {
  const body = await jsonOf(response);
  const [choice] = arrayAt(body, "choices") ?? [];
  const text = stringAt(recordAt(choice, "message"), "content") ?? "";
  const usage = recordAt(body, "usage");
  return {
    output: call.schema === undefined ? text : parsed(text),
    text,
    meta: {
      ...metaFrom(call)(response.headers),
      conformant: call.schema === undefined ? undefined : true,
      finish: stringAt(choice, "finish_reason")?.replace("_", "-"),
      usage: { tokensIn: numberAt(usage, "prompt_tokens"), tokensOut: numberAt(usage, "completion_tokens") },
    },
  };
}

/** What the answer's headers say. */
function metaFrom({ marks, arm }: CallOptions, route?: string, variant?: string): (headers: Headers) => RunMeta {
  return (headers) => ({
    inferenceId: headers.get("x-modelrig-inference-id") ?? "",
    ...{ route, variant, arm },
    served: headers.get("x-modelrig-served") ?? "",
    rung: headers.get("x-modelrig-rung") ?? "none",
    attempts: Number(headers.get("x-modelrig-attempts") ?? 0),
    costUsd: headers.get("x-modelrig-cost-usd") ?? undefined,
    costEstimated: false,
    usage: {},
    simulated: headers.get("x-modelrig-simulated") === "true",
    ...{ runId: marks.run, stepKey: marks.step },
  });
}

function markHeaders({ marks }: CallOptions): Record<string, string> {
  const tags = Object.entries(marks.tags).map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`);
  return {
    ...(tags.length > 0 && { "x-modelrig-tags": tags.join(",") }),
    ...(marks.run !== undefined && { "x-modelrig-run": marks.run }),
    ...(marks.step !== undefined && { "x-modelrig-step": marks.step }),
  };
}

/** From the gateway's error answer, or one of something in front of it. */
async function refusal(response: Response): Promise<RigError> {
  const text = await response.text();
  const error = recordAt(parsed(text), "error");
  const cost = response.headers.get("x-modelrig-cost-usd") ?? undefined;
  return errorFrom(error, response.status, response.headers.get("x-modelrig-inference-id"), cost);
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown;
  } catch (cause) {
    const broken = failure("network", "the gateway's answer broke off or is no JSON", { reason: "malformed_response" });
    throw new RigError(broken, { inferenceId: response.headers.get("x-modelrig-inference-id"), attempts: [] }, cause);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
