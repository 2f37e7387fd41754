import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { keptSample, MOST_KEPT_AT_ONCE } from "../../src/bakeoff/execution/kept-sample.ts";
import type { Principal } from "../../src/identity/principal.ts";
import { requireEveryRow } from "../auth.ts";
import { callerOf } from "../caller.ts";
import { requireReach } from "../calls.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, type HttpFault, notFound } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import type { Runtime } from "../runtime.ts";
import { actorOf } from "./control.ts";
import { isoOf, parseBody } from "./listing.ts";

export const keptSamplesRequest = z
  .strictObject({ samples: z.array(keptSample).min(1).max(MOST_KEPT_AT_ONCE) })
  .openapi("KeptSamplesRequest");

export const samplesKept = z.object({ kept: z.number().int() }).openapi("SamplesKept");

export const keptSampleList = z
  .object({ samples: z.array(keptSample.extend({ created_at: z.iso.datetime() })) })
  .openapi("KeptSampleList");

export const samplesDeleted = z.object({ deleted: z.number().int() }).openapi("SamplesDeleted");

/** `/v1/bakeoffs/:id/samples`: outputs a user chose to keep for review. The only text of a bake-off that is ever here. */
export function bakeoffSamples(app: Hono<AppEnv>): void {
  const path = "/v1/bakeoffs/:id/samples";

  app.post(path, async (c) => {
    const { runtime, principal } = callerOf(c, "oracle-act");
    const { samples } = parseBody(keptSamplesRequest, await readJsonBody(c.req.raw, runtime.config.limits));
    const store = await samplesOf(runtime, principal, c.req.param("id"));
    const kept = await store.put(samples, actorOf(runtime, principal));
    if (kept === undefined) throw badRequest("this bake-off has as many samples as are kept", "too_many_samples");
    return c.json({ kept } satisfies z.output<typeof samplesKept>, 201);
  });

  app.get(path, async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const found = await (await samplesOf(runtime, principal, c.req.param("id"))).list();
    const samples = found.map(({ createdAt, ...sample }) => ({ ...sample, created_at: isoOf(createdAt) }));
    return c.json({ samples } satisfies z.output<typeof keptSampleList>);
  });

  app.delete(path, async (c) => {
    const { runtime, principal } = callerOf(c, "oracle-act");
    const deleted = await (await samplesOf(runtime, principal, c.req.param("id"))).delete(actorOf(runtime, principal));
    return c.json({ deleted } satisfies z.output<typeof samplesDeleted>);
  });
}

async function samplesOf(runtime: Runtime, principal: Principal, id: string) {
  requireEveryRow(principal, "kept outputs");
  const store = runtime.store().forOrg(principal.org);
  const report = await store.bakeoffs.get(id);
  if (!report) throw noBakeoff();
  requireReach(principal, report.route);
  return store.bakeoffSamples.of(id);
}

function noBakeoff(): HttpFault {
  return notFound("no such bake-off", "bakeoff_not_found", "id");
}
