import { createApp } from "./app.ts";
import type { Env } from "./bindings.ts";
import { runtimeOf } from "./compose.ts";
import { runScheduled } from "./scheduled.ts";
import { consumeBatch } from "./telemetry-queue.ts";

export { RouteBreaker } from "../durable/route-breaker.ts";
export { SpendEnvelopes } from "../durable/spend-envelopes.ts";
export { HostedBakeoffRun } from "./hosted-bakeoff.ts";

const app = createApp();

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  scheduled: (controller, env) => runScheduled(controller.cron, env),
  queue: (batch, env) => consumeBatch(batch, runtimeOf(env)),
} satisfies ExportedHandler<Env>;
