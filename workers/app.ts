import { Hono } from "hono";
import { CONTRACT } from "../src/api/contract.ts";
import { CALLS } from "./calls/call-front.ts";
import { runtimeOf } from "./compose.ts";
import type { AppEnv } from "./context.ts";
import { bakeoffSamples } from "./endpoints/bakeoffs/bakeoff-samples.ts";
import { bakeoffs } from "./endpoints/bakeoffs/bakeoffs.ts";
import { hostedBakeoffs } from "./endpoints/bakeoffs/hosted-bakeoffs.ts";
import { routeLive } from "./endpoints/bakeoffs/live-variant.ts";
import { proposals } from "./endpoints/bakeoffs/proposals.ts";
import { swaps } from "./endpoints/bakeoffs/swaps.ts";
import { callerOf } from "./endpoints/caller.ts";
import { models } from "./endpoints/calls/models.ts";
import { run } from "./endpoints/calls/run.ts";
import { tokenCount } from "./endpoints/calls/token-count.ts";
import { envelopeBooks } from "./endpoints/envelope-books.ts";
import { envelopes } from "./endpoints/envelopes.ts";
import { devControl } from "./endpoints/gateway/dev-control.ts";
import { diagnosis } from "./endpoints/gateway/diagnosis.ts";
import { health } from "./endpoints/gateway/health.ts";
import { llmsTxt } from "./endpoints/gateway/llms-txt.ts";
import { metrics } from "./endpoints/gateway/metrics.ts";
import { openapi } from "./endpoints/gateway/openapi.ts";
import { whoami } from "./endpoints/gateway/whoami.ts";
import { mountOtherMethods } from "./endpoints/mount.ts";
import { audit } from "./endpoints/org/audit.ts";
import { orgData } from "./endpoints/org/org-data.ts";
import { registry } from "./endpoints/org/registry.ts";
import { orgSettings } from "./endpoints/org/settings.ts";
import { artifacts } from "./endpoints/runs/artifacts.ts";
import { evalCases } from "./endpoints/runs/eval-cases.ts";
import { grade } from "./endpoints/runs/grade.ts";
import { runs } from "./endpoints/runs/runs.ts";
import { inferences } from "./endpoints/telemetry/inferences.ts";
import { ingest } from "./endpoints/telemetry/ingest.ts";
import { query } from "./endpoints/telemetry/query.ts";
import { record } from "./endpoints/telemetry/record.ts";
import { authentication } from "./http/auth.ts";
import { crossOrigin } from "./http/cors.ts";
import { notFound } from "./http/fault.ts";
import { faultAnswer } from "./http/fault-answer.ts";
import { requestLimits } from "./http/limits.ts";

/** Mounts every endpoint. What stands above `authentication` is all that works without a key. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(async (c, next) => {
    c.set("runtime", runtimeOf(c.env));
    await next();
  });
  // Before what is a client's alone: other origins and limits, which are also part of what is reloaded.
  devControl(app);
  app.use(crossOrigin());
  app.use(requestLimits());
  for (const endpoint of [health, openapi, llmsTxt]) endpoint(app);
  mountOtherMethods(
    app,
    CONTRACT.filter(({ access }) => access === "open"),
  );
  app.use(authentication());
  for (const [path, serve] of CALLS) app.post(path, (c) => serve(callerOf(c, "call"), c.req.raw));
  for (const endpoint of [tokenCount, run, models, whoami, diagnosis, metrics]) endpoint(app);
  for (const endpoint of [bakeoffs, hostedBakeoffs, bakeoffSamples, routeLive, proposals, swaps]) endpoint(app);
  for (const endpoint of [query, inferences, registry]) endpoint(app);
  for (const endpoint of [runs, artifacts, grade, evalCases, orgSettings]) endpoint(app);
  for (const endpoint of [ingest, record, envelopes, envelopeBooks, orgData, audit]) endpoint(app);
  mountOtherMethods(
    app,
    CONTRACT.filter(({ access }) => access !== "open"),
  );
  app.notFound(() => {
    throw notFound("no such endpoint; see /openapi.json", "not_found");
  });
  app.onError((error, c) => faultAnswer(error, c.req.path));
  return app;
}
