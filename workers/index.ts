/** Static imports are what a call needs. Everything else is loaded when it is first asked for. */
import type { Env } from "./bindings.ts";
import { serveCall } from "./call-front.ts";
import { runtimeOf } from "./compose.ts";

export { RouteBreaker } from "../durable/route-breaker.ts";
export { SpendEnvelopes } from "../durable/spend-envelopes.ts";
export { HostedBakeoffRun } from "./hosted-bakeoff.ts";

export default {
  async fetch(request, env, context) {
    const call = serveCall(request, env, context);
    if (call) return await call;
    const { serveControl } = await import("./control.ts");
    return await serveControl(request, env, context);
  },
  async scheduled(controller, env) {
    const { runScheduled } = await import("./scheduled.ts");
    await runScheduled(controller.cron, env);
  },
  async queue(batch, env) {
    const { consumeBatch } = await import("./telemetry-consumer.ts");
    await consumeBatch(batch, runtimeOf(env));
  },
} satisfies ExportedHandler<Env>;
