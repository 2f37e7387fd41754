import { Hono } from "hono";
import { CONTRACT } from "../src/api/contract.ts";
import { CALLS } from "./calls/call-front.ts";
import { runtimeOf } from "./compose.ts";
import type { AppEnv } from "./context.ts";
import { mountBakeoffSamples } from "./endpoints/bakeoffs/bakeoff-samples.ts";
import { mountBakeoffs } from "./endpoints/bakeoffs/bakeoffs.ts";
import { mountHostedBakeoffs } from "./endpoints/bakeoffs/hosted-bakeoffs.ts";
import { mountRouteLive } from "./endpoints/bakeoffs/live-variant.ts";
import { mountProposals } from "./endpoints/bakeoffs/proposals.ts";
import { mountSwaps } from "./endpoints/bakeoffs/swaps.ts";
import { callerOf } from "./endpoints/caller.ts";
import { mountModels } from "./endpoints/calls/models.ts";
import { mountRun } from "./endpoints/calls/run.ts";
import { mountTokenCount } from "./endpoints/calls/token-count.ts";
import { mountEnvelopeBooks } from "./endpoints/envelope-books.ts";
import { mountEnvelopes } from "./endpoints/envelopes.ts";
import { mountDevControl } from "./endpoints/gateway/dev-control.ts";
import { mountDiagnosis } from "./endpoints/gateway/diagnosis.ts";
import { mountHealth } from "./endpoints/gateway/health.ts";
import { mountLlmsTxt } from "./endpoints/gateway/llms-txt.ts";
import { mountMetrics } from "./endpoints/gateway/metrics.ts";
import { mountOpenapi } from "./endpoints/gateway/openapi.ts";
import { mountWhoami } from "./endpoints/gateway/whoami.ts";
import { mountOtherMethods } from "./endpoints/mount.ts";
import { mountAudit } from "./endpoints/org/audit.ts";
import { mountOrgData } from "./endpoints/org/org-data.ts";
import { mountRegistry } from "./endpoints/org/registry.ts";
import { mountOrgSettings } from "./endpoints/org/settings.ts";
import { mountKeptResponses } from "./endpoints/responses/kept-responses.ts";
import { mountArtifacts } from "./endpoints/runs/artifacts.ts";
import { mountEvalCases } from "./endpoints/runs/eval-cases.ts";
import { mountGrade } from "./endpoints/runs/grade.ts";
import { mountRuns } from "./endpoints/runs/runs.ts";
import { mountInferences } from "./endpoints/telemetry/inferences.ts";
import { mountIngest } from "./endpoints/telemetry/ingest.ts";
import { mountQuery } from "./endpoints/telemetry/query.ts";
import { mountRecord } from "./endpoints/telemetry/record.ts";
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
  mountDevControl(app);
  app.use(crossOrigin());
  app.use(requestLimits());
  for (const endpoint of [mountHealth, mountOpenapi, mountLlmsTxt]) endpoint(app);
  mountOtherMethods(
    app,
    CONTRACT.filter(({ access }) => access === "open"),
  );
  app.use(authentication());
  for (const [path, serve] of CALLS) app.post(path, (c) => serve(callerOf(c, "call"), c.req.raw));
  for (const endpoint of [mountTokenCount, mountRun, mountKeptResponses, mountModels]) endpoint(app);
  for (const endpoint of [mountWhoami, mountDiagnosis, mountMetrics]) endpoint(app);
  for (const endpoint of [
    mountBakeoffs,
    mountHostedBakeoffs,
    mountBakeoffSamples,
    mountRouteLive,
    mountProposals,
    mountSwaps,
  ])
    endpoint(app);
  for (const endpoint of [mountQuery, mountInferences, mountRegistry]) endpoint(app);
  for (const endpoint of [mountRuns, mountArtifacts, mountGrade, mountEvalCases, mountOrgSettings]) endpoint(app);
  for (const endpoint of [mountIngest, mountRecord, mountEnvelopes, mountEnvelopeBooks, mountOrgData, mountAudit])
    endpoint(app);
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
