import type { Hono } from "hono";
import { deleteKeptSamples, keepSamples, listKeptSamples } from "../../../src/api/bakeoffs.ts";
import { type Caller, requireReach } from "../../calls/call-access.ts";
import type { AppEnv } from "../../context.ts";
import { badRequest, notFound } from "../../http/fault.ts";
import { actorOf } from "../actor.ts";
import { mount } from "../mount.ts";
import { isoOf } from "../wording.ts";

/** `/v1/bakeoff-samples/:id`: outputs a user chose to keep for review. The only text of a bake-off that is ever here. */
export function mountBakeoffSamples(app: Hono<AppEnv>): void {
  mount(app, keepSamples).with(async (request) => {
    const store = await samplesOf(request, request.params.id);
    const kept = await store.put(request.body.samples, actorOf(request));
    if (kept === undefined) throw badRequest("this bake-off has as many samples as are kept", "too_many_samples");
    return { status: 201, body: { kept } };
  });

  mount(app, listKeptSamples).with(async (request) => {
    const found = await (await samplesOf(request, request.params.id)).list();
    const samples = found.map(({ createdAt, ...sample }) => ({ ...sample, created_at: isoOf(createdAt) }));
    return { status: 200, body: { samples } };
  });

  mount(app, deleteKeptSamples).with(async (request) => {
    const store = await samplesOf(request, request.params.id);
    return { status: 200, body: { deleted: await store.delete(actorOf(request)) } };
  });
}

async function samplesOf({ runtime, principal }: Caller, id: string) {
  const store = runtime.store().forOrg(principal.org);
  const report = await store.bakeoffs.get(id);
  if (!report) throw notFound("no such bake-off", "bakeoff_not_found", "id");
  requireReach(principal, report.route);
  return store.bakeoffSamples.of(id);
}
