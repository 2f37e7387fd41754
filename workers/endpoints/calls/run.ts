import type { Hono } from "hono";
import type { RunAnswer } from "../../../src/api/calls.ts";
import type { CallResult } from "../../../src/call/call.ts";
import type { Inference } from "../../../src/call/inference.ts";
import { routePolicy } from "../../../src/call/route-policy.ts";
import { writtenTags } from "../../../src/identity/authorize.ts";
import { parseExact } from "../../../src/json/exact-numbers.ts";
import { nanoToUsdText } from "../../../src/money/nano-usd.ts";
import { checkInput } from "../../../src/route/input.ts";
import { DEFAULT_VARIANT, type NarrowedRoute } from "../../../src/route/narrow.ts";
import { renderRequest } from "../../../src/route/render.ts";
import { answerText } from "../../../src/wire/chat.ts";
import { openaiChatIngress } from "../../../src/wire/openai-chat/index.ts";
import { answerHeaders, failureResponse, streamResponse } from "../../calls/answer.ts";
import { liveContext, requireReach, routeFor, runCall } from "../../calls/call-access.ts";
import { orEarly } from "../../calls/early-answer.ts";
import { markId, requestMarks } from "../../calls/request-marks.ts";
import type { AppEnv } from "../../context.ts";
import { badRequest, HttpFault } from "../../http/fault.ts";
import { readJsonBody } from "../../http/limits.ts";
import { callerOf } from "../caller.ts";
import { parseRunBody } from "./run-body.ts";

/** `POST /v1/run/:route`: renders the route's template with the caller's variables. */
export function mountRun(app: Hono<AppEnv>): void {
  app.post("/v1/run/:route", async (c) => {
    const caller = callerOf(c, "call");
    requireReach(caller.principal, c.req.param("route"));
    const body = parseRunBody(await readJsonBody(c.req.raw, caller.runtime.config.limits));
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
          return streamResponse(result, openaiChatIngress, { ...options, simulated, background: caller.background });
        }
      }
    };
    return orEarly(call, respond, openaiChatIngress, options);
  });
}

function runBody(result: Extract<CallResult, { type: "answer" }>, narrowed: NarrowedRoute): RunAnswer {
  const [choice] = result.answer.choices;
  const text = choice ? answerText(choice) : "";
  return {
    output: result.output === undefined ? text : parseExact(text),
    text,
    meta: meta(result.inference, narrowed),
  };
}

function meta(inference: Inference, narrowed: NarrowedRoute): RunAnswer["meta"] {
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
