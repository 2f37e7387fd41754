import type { Hono } from "hono";
import { countTokens } from "../../../src/call/count-tokens.ts";
import { anthropicMessagesIngress } from "../../../src/wire/anthropic-messages/index.ts";
import { failureFault } from "../../calls/answer.ts";
import { callTarget } from "../../calls/call-target.ts";
import { requestMarks } from "../../calls/request-marks.ts";
import type { AppEnv } from "../../context.ts";
import { HttpFault } from "../../http/fault.ts";
import { readJsonBody } from "../../http/limits.ts";
import { requestIdHeader } from "../../http/request-id.ts";
import { callerOf } from "../caller.ts";

/** `POST /v1/messages/count_tokens`. Nothing of a count is billed or recorded. */
export function mountTokenCount(app: Hono<AppEnv>): void {
  app.post("/v1/messages/count_tokens", async (c) => {
    const caller = callerOf(c, "call");
    const body = await readJsonBody(c.req.raw, caller.runtime.config.limits);
    // The one field that a call must have and a count has not.
    const decoded = anthropicMessagesIngress.decodeRequest({ max_tokens: 1, ...body }, c.req.raw.headers);
    if (!decoded.ok) throw new HttpFault(400, decoded.error);
    const { model, request } = decoded.value;
    const marks = requestMarks(c.req.raw.headers, undefined, {});
    const { policy } = await callTarget(caller, model, request, marks);
    const ports = caller.runtime.callPorts(caller.principal.org, caller.background);
    const count = await countTokens(request, policy, ports, caller.signal);
    if (!count.ok) throw failureFault(count.error);
    const { inputTokens, estimated, served } = count.value;
    return c.json({ input_tokens: inputTokens, estimated }, 200, {
      "x-modelrig-served": served,
      "x-modelrig-estimated": String(estimated),
      ...requestIdHeader(),
    });
  });
}
