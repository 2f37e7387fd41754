import { Hono } from "hono";
import { failure } from "../src/failure/failure.ts";
import { isUnavailable } from "../src/store/database/store-error.ts";
import { authentication } from "./auth.ts";
import { runtimeOf } from "./compose.ts";
import type { AppEnv } from "./context.ts";
import { artifacts } from "./endpoints/artifacts.ts";
import { bakeoffSamples } from "./endpoints/bakeoff-samples.ts";
import { bakeoffs } from "./endpoints/bakeoffs.ts";
import { chatCompletions } from "./endpoints/chat-completions.ts";
import { devDrain } from "./endpoints/dev-drain.ts";
import { diagnosis } from "./endpoints/diagnosis.ts";
import { embeddings } from "./endpoints/embeddings.ts";
import { envelopes } from "./endpoints/envelopes.ts";
import { evalCases } from "./endpoints/eval-cases.ts";
import { grade } from "./endpoints/grade.ts";
import { health } from "./endpoints/health.ts";
import { hostedBakeoffs } from "./endpoints/hosted-bakeoffs.ts";
import { inferences } from "./endpoints/inferences.ts";
import { ingest } from "./endpoints/ingest.ts";
import { routeLive } from "./endpoints/live-variant.ts";
import { llmsTxt } from "./endpoints/llms-txt.ts";
import { messages } from "./endpoints/messages.ts";
import { metrics } from "./endpoints/metrics.ts";
import { models } from "./endpoints/models.ts";
import { openapi } from "./endpoints/openapi.ts";
import { orgData } from "./endpoints/org-data.ts";
import { proposals } from "./endpoints/proposals.ts";
import { query } from "./endpoints/query.ts";
import { record } from "./endpoints/record.ts";
import { registry } from "./endpoints/registry.ts";
import { responses } from "./endpoints/responses.ts";
import { run } from "./endpoints/run.ts";
import { runs } from "./endpoints/runs.ts";
import { orgSettings } from "./endpoints/settings.ts";
import { swaps } from "./endpoints/swaps.ts";
import { whoami } from "./endpoints/whoami.ts";
import { faultBody, HttpFault, notFound, unavailable } from "./fault.ts";
import { requestLimits } from "./limits.ts";
import { logError } from "./log.ts";

/** Mounts every endpoint. What stands above `authentication` is all that works without a key. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(async (c, next) => {
    c.set("runtime", runtimeOf(c.env));
    await next();
  });
  app.use(requestLimits());
  for (const endpoint of [health, openapi, llmsTxt, devDrain]) endpoint(app);
  app.use(authentication());
  for (const endpoint of [chatCompletions, messages, responses, embeddings]) endpoint(app);
  for (const endpoint of [run, models, whoami, diagnosis, metrics]) endpoint(app);
  for (const endpoint of [bakeoffs, hostedBakeoffs, bakeoffSamples, routeLive, proposals, swaps]) endpoint(app);
  for (const endpoint of [query, inferences, registry]) endpoint(app);
  for (const endpoint of [runs, artifacts, grade, evalCases, orgSettings]) endpoint(app);
  for (const endpoint of [ingest, record, envelopes, orgData]) endpoint(app);
  app.notFound((c) => faultResponse(notFound("no such endpoint; see /openapi.json", "not_found"), c.req.path));
  app.onError((error, c) => {
    if (error instanceof HttpFault) return faultResponse(error, c.req.path);
    logError("request failed", error);
    if (isUnavailable(error)) {
      return faultResponse(
        unavailable("the database cannot be used at the moment", "database_unavailable", 1),
        c.req.path,
      );
    }
    return faultResponse(
      new HttpFault(500, failure("server_error", "an internal error occurred", { code: "internal" })),
      c.req.path,
    );
  });
  return app;
}

function faultResponse(fault: HttpFault, path: string): Response {
  return Response.json(faultBody(fault, path), {
    status: fault.status,
    headers: fault.headers,
  });
}
