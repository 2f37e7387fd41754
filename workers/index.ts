/** Static imports are what a call needs. Everything else is loaded when it is first asked for. */
import type { Env } from "./bindings.ts";
import { serveCall } from "./calls/call-front.ts";
import { runtimeOf } from "./compose.ts";
import { discardBody } from "./http/unread-body.ts";

export { RouteBreaker } from "../durable/route-breaker.ts";
export { SpendEnvelopes } from "../durable/spend-envelopes.ts";
export { HostedBakeoffRun } from "./background/hosted-bakeoff.ts";

async function serveOther(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  const { serveControl } = await import("./control.ts");
  return await serveControl(request, env, context);
}

export default {
  async fetch(request, env, context) {
    const answer = await (serveCall(request, env, context) ?? serveOther(request, env, context));
    if (env.MODELRIG_DEV_TOKEN !== undefined) await discardBody(request);
    return answer;
  },
  async scheduled(controller, env) {
    const { runScheduled } = await import("./background/scheduled.ts");
    await runScheduled(controller.cron, env);
  },
  async queue(batch, env) {
    const { consumeBatch } = await import("./background/telemetry-consumer.ts");
    await consumeBatch(batch, runtimeOf(env));
  },
} satisfies ExportedHandler<Env>;
