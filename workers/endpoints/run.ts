import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import type { CallResult } from "../../src/call/call.ts";
import type { Inference } from "../../src/call/inference.ts";
import { routePolicy } from "../../src/call/route-policy.ts";
import { writtenTags } from "../../src/identity/authorize.ts";
import { nanoToUsdText } from "../../src/money/nano-usd.ts";
import { tags as tagsOfBody } from "../../src/record/tag.ts";
import { checkInput } from "../../src/route/input.ts";
import { DEFAULT_VARIANT, type NarrowedRoute } from "../../src/route/narrow.ts";
import { renderRequest } from "../../src/route/render.ts";
import { answerText } from "../../src/wire/chat.ts";
import { openaiChatIngress } from "../../src/wire/openai-chat/index.ts";
import { answerHeaders, failureResponse, streamResponse } from "../answer.ts";
import { callerOf } from "../caller.ts";
import { liveContext, routeFor, runCall } from "../calls.ts";
import type { AppEnv } from "../context.ts";
import { orEarly } from "../early-answer.ts";
import { badRequest, HttpFault } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { markId, requestMarks } from "../request-marks.ts";
import { parseBody } from "./listing.ts";

export const runRequest = z
  .strictObject({
    input: z.record(z.string(), z.unknown()).describe("The route's variables, checked against its input schema."),
    variant: z.string().optional().describe("A declared variant; default: the route under its live pin."),
    tags: tagsOfBody.optional(),
    stepKey: z.string().optional().describe("Named stage of the run."),
    run: z.string().optional().describe("Id of the pipeline execution this call belongs to."),
    stream: z.boolean().optional().describe("Server-sent events in the shape of chat completion chunks."),
  })
  .openapi("RunRequest");

export const runAnswer = z
  .object({
    output: z.unknown().describe("The validated JSON where the route declares a schema, else the text."),
    text: z.string(),
    meta: z.object({
      inference_id: z.string(),
      route: z.string(),
      variant: z.string(),
      served: z.string().describe("provider/model"),
      rung: z.string(),
      attempts: z.int(),
      conformant: z.boolean().optional(),
      finish: z.string().optional(),
      cost_usd: z.string().optional().describe("Exact decimal, nine places; absent when unknown."),
      cost_estimated: z.boolean(),
      latency_ms: z.int(),
      usage: z.object({ input_tokens: z.int().optional(), output_tokens: z.int().optional() }),
      simulated: z.boolean(),
      arm: z.string().optional(),
    }),
  })
  .openapi("RunAnswer");

/** `POST /v1/run/:route`: renders the route's template with the caller's variables. */
export function run(app: Hono<AppEnv>): void {
  app.post("/v1/run/:route", async (c) => {
    const caller = callerOf(c, "call");
    const body = parseBody(runRequest, await readJsonBody(c.req.raw, caller.runtime.config.limits));
    const { input, variant, tags, stepKey, run: runId, stream = false } = body;
    const narrowed = await routeFor(caller, c.req.param("route"), variant ?? DEFAULT_VARIANT);
    const { template } = narrowed;
    if (!template) {
      throw badRequest(`route ${narrowed.route.name} declares no template; call it with messages`, "no_template");
    }
    const checked = checkInput(narrowed.route, input);
    if (!checked.ok) throw new HttpFault(400, checked.error);
    const headerMarks = requestMarks(c.req.raw.headers, undefined, {});
    const marks = {
      ...headerMarks,
      tags: { ...headerMarks.tags, ...tags, ...writtenTags(caller.principal) },
      run: markId(runId, "run") ?? headerMarks.run,
      step: markId(stepKey, "stepKey") ?? headerMarks.step,
    };
    const startedAt = caller.runtime.now();
    const call = runCall(caller, {
      context: liveContext(caller.principal, narrowed, marks),
      policy: routePolicy(narrowed, { allowTrial: false, stream: marks.stream ?? narrowed.route.stream }),
      requestFor: (_candidate, capabilities) => {
        const request = renderRequest(template, narrowed.route.input, input, capabilities);
        return request.ok ? { ...request.value, stream, includeUsage: stream } : request.error;
      },
      stream,
      route: narrowed.route,
    });
    const { now } = caller.runtime;
    const options = { includeUsage: true, startedAt, now, keepAliveMs: stream ? caller.runtime.config.keepAliveMs : 0 };
    const respond = (result: CallResult): Response => {
      switch (result.type) {
        case "failure":
          return failureResponse(result, openaiChatIngress);
        case "answer":
          return c.json(runBody(result, narrowed), 200, answerHeaders(result.inference));
        case "stream": {
          const simulated = caller.runtime.providers.find(result.head.served.provider)?.simulated === true;
          return streamResponse(result, openaiChatIngress, { ...options, simulated });
        }
      }
    };
    return orEarly(call, respond, openaiChatIngress, options);
  });
}

function runBody(result: Extract<CallResult, { type: "answer" }>, narrowed: NarrowedRoute): z.output<typeof runAnswer> {
  const [choice] = result.answer.choices;
  const text = choice ? answerText(choice) : "";
  return { output: result.output === undefined ? text : result.output, text, meta: meta(result.inference, narrowed) };
}

function meta(inference: Inference, narrowed: NarrowedRoute): z.output<typeof runAnswer>["meta"] {
  const { served, cost } = inference;
  const usage = inference.attempts.at(-1)?.usage;
  return {
    inference_id: inference.id,
    route: narrowed.route.name,
    variant: narrowed.variant,
    served: served ? `${served.provider}/${served.model}` : "",
    rung: inference.rung ?? "none",
    attempts: inference.attempts.length,
    conformant: inference.conformant,
    finish: inference.finish?.unified,
    cost_usd: cost === undefined ? undefined : nanoToUsdText(cost),
    cost_estimated: inference.costEstimated,
    latency_ms: Math.round(inference.latencyMs),
    usage: { input_tokens: usage?.input.total, output_tokens: usage?.output.total },
    simulated: inference.simulated,
    arm: inference.arm,
  };
}
