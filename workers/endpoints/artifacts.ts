import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { failure } from "../../src/failure/failure.ts";
import type { Principal } from "../../src/identity/principal.ts";
import { replayPayload } from "../../src/replay/replay-payload.ts";
import { type ArtifactLink, type ArtifactSaved, artifactSaved, WITHHELD } from "../../src/runs/artifact.ts";
import { underCustody } from "../../src/runs/custody.ts";
import { EVAL_CASE_ORIGINS } from "../../src/runs/eval-case.ts";
import type { Artifact } from "../../src/runs/ports.ts";
import { promote } from "../../src/runs/promote.ts";
import { label, reportedId } from "../../src/runs/run.ts";
import type { OrgStore } from "../../src/store/store.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, HttpFault, notFound } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { actorOf, prefixedId } from "./control.ts";
import { evalCaseJson } from "./eval-cases.ts";
import { parseBody, time } from "./listing.ts";
import { artifactHead, artifactJson, grade, gradesJson } from "./run-view.ts";
import { knownRun, statusOf } from "./runs.ts";

const { run, step, name, type, task, inference, conformant, hash, bytes } = artifactSaved.shape;
const sources = z.array(reportedId).max(100).optional();

export const artifactRequest = z
  .strictObject({
    id: reportedId.optional().describe("Yours; sent again, it changes nothing. Absent = one is made."),
    ...{ run, step, name, type, task, inference, conformant },
    content: z
      .unknown()
      .optional()
      .describe("Text, or any other JSON value. Absent = only hash and bytes are reported."),
    json: z.boolean().optional().describe("The text is JSON. Not needed where the content is no text."),
    hash: hash.describe("SHA-256 of the content's UTF-8, hex; needed where no content comes along, else checked."),
    bytes,
    derived_from: sources.describe("Artifacts this one was made of."),
    consumed: sources.describe("Artifacts that were read on the way."),
    created_at: time.optional().describe("Absent = now."),
  })
  .openapi("ArtifactRequest");

export const artifactStored = z
  .object({
    id: z.string(),
    status: z.enum(["stored", "duplicate"]),
    hash: z.string(),
    bytes: z.int(),
    withheld: z.enum(WITHHELD).nullable().describe("Why the content is not kept; null = it is."),
  })
  .openapi("ArtifactStored");

export const artifactDetail = z
  .object({
    artifact: artifactHead.extend({ content: z.string().nullable() }),
    used_by: z.array(z.string()).describe("Artifacts derived from this one, or that consumed it."),
    grades: z.array(grade),
  })
  .openapi("ArtifactDetail");

export const promoteRequest = z
  .strictObject({
    id: reportedId
      .optional()
      .describe("Yours, of the eval case; sent again, it changes nothing. Absent = one is made."),
    task: label.optional().describe("Name of the route to test; absent = the artifact's own."),
    input: replayPayload.optional().describe("Absent = the nearest input or prompt it was derived from."),
    corrected: z.unknown().optional().describe("The right output, where the artifact's was not; any JSON value."),
    origin: z.enum(EVAL_CASE_ORIGINS).optional(),
  })
  .openapi("PromoteRequest");

/** `/v1/artifacts`: work products of runs, their lineage, and the way from one to a golden. */
export function artifacts(app: Hono<AppEnv>): void {
  app.post("/v1/artifacts", async (c) => {
    const { runtime, principal } = callerOf(c, "ingest");
    const body = parseBody(artifactRequest, await readJsonBody(c.req.raw, runtime.config.limits));
    const store = runtime.store().forOrg(principal.org);
    const saved = savedOf(body, runtime.now());
    const links = linksOf(saved, body);
    await checkMayWrite(store, saved, links, principal);
    const kept = await underCustody(saved, await store.settings.get());
    if (!kept.ok) throw badRequest(kept.fault.message, kept.fault.code);
    const actor = actorOf(runtime, principal);
    const [status = "duplicate"] = await store.artifacts.save([kept.artifact], actor);
    const known = await store.artifacts.get(saved.id, principal.rowScope);
    if (!known) throw idTaken();
    // Also of one that was there: the first try may have ended between the two.
    await store.artifacts.link(links, actor);
    const answer = { id: saved.id, status, hash: known.hash, bytes: known.bytes, withheld: known.withheld ?? null };
    return c.json(answer satisfies z.output<typeof artifactStored>, statusOf(status));
  });

  app.get("/v1/artifacts/:id", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const store = runtime.store().forOrg(principal.org);
    const known = await knownArtifact(store, c.req.param("id"), principal);
    const [links, grades] = await Promise.all([
      store.artifacts.linksOf([known.id], principal.rowScope),
      store.grades.of({ kind: "artifact", id: known.id }, principal.rowScope),
    ]);
    return c.json({
      artifact: { ...artifactJson(known, links), content: known.content ?? null },
      used_by: [...new Set(links.filter(({ source }) => source === known.id).map(({ artifact }) => artifact))],
      grades: gradesJson(grades),
    } satisfies z.output<typeof artifactDetail>);
  });

  app.post("/v1/artifacts/:id/promote", async (c) => {
    const { runtime, principal } = callerOf(c, "ingest");
    const body = parseBody(promoteRequest, await readJsonBody(c.req.raw, runtime.config.limits));
    const store = runtime.store().forOrg(principal.org);
    const known = await knownArtifact(store, c.req.param("id"), principal);
    const { task: said, input, origin } = body;
    const corrected = Object.hasOwn(body, "corrected") ? { value: body.corrected } : undefined;
    const origins = input ? [] : await store.artifacts.origins(known.id, principal.rowScope);
    const made = { id: body.id ?? prefixedId("case"), at: runtime.now() };
    const promoted = promote(known, origins, { task: said, input, corrected, origin }, made);
    if (!promoted.ok) {
      const { code, message } = promoted.fault;
      throw new HttpFault(code === "task_required" ? 400 : 409, failure("bad_request", message, { code }));
    }
    const status = await store.evalCases.insert(promoted.evalCase, actorOf(runtime, principal));
    const kept = status === "stored" ? promoted.evalCase : await store.evalCases.get(made.id);
    if (kept?.artifact !== known.id) throw caseTaken();
    return c.json(evalCaseJson(kept), statusOf(status));
  });
}

function savedOf(body: z.output<typeof artifactRequest>, now: number): ArtifactSaved {
  const { id = prefixedId("art"), content, json = false, created_at: createdAt = now, ...rest } = body;
  const { derived_from: _derived, consumed: _consumed, ...fields } = rest;
  if (content === undefined || typeof content === "string") return { ...fields, id, json, content, createdAt };
  return { ...fields, id, json: true, content: JSON.stringify(content), createdAt };
}

function linksOf(
  { id, createdAt }: ArtifactSaved,
  { derived_from: derivedFrom = [], consumed = [] }: z.output<typeof artifactRequest>,
): readonly ArtifactLink[] {
  return [
    ...derivedFrom.map((source) => ({ artifact: id, source, relation: "derived_from" as const, createdAt })),
    ...consumed.map((source) => ({ artifact: id, source, relation: "consumed" as const, createdAt })),
  ];
}

/** Sources must be there. A key with a row scope adds nothing to what it cannot see, nor what it could not see again. */
async function checkMayWrite(
  store: OrgStore,
  saved: ArtifactSaved,
  links: readonly ArtifactLink[],
  principal: Principal,
): Promise<void> {
  const sourceIds = links.map(({ source }) => source);
  const known = await store.grades.known(
    sourceIds.map((id) => ({ kind: "artifact", id })),
    principal.rowScope,
  );
  const missing = sourceIds.find((id) => !known.has(`artifact:${id}`));
  if (missing !== undefined) throw notFound(`no artifact has the id ${missing}`, "unknown_source", "derived_from");
  if (!principal.rowScope) return;
  if (saved.run === undefined) {
    throw badRequest("this key sees only certain rows: name the run the artifact belongs to", "run_required", "run");
  }
  await knownRun(store, saved.run, principal);
}

async function knownArtifact(store: OrgStore, id: string, { rowScope }: Principal): Promise<Artifact> {
  const known = await store.artifacts.get(id, rowScope);
  if (!known) throw notFound("no such artifact", "artifact_not_found", "id");
  return known;
}

function caseTaken(): HttpFault {
  const message = "an eval case that was not made of this artifact has this id";
  return new HttpFault(409, failure("bad_request", message, { code: "id_taken", param: "id" }));
}

function idTaken(): HttpFault {
  const message =
    "the artifact cannot be seen by this key: its id is another's, or it names a call this key may not see";
  return new HttpFault(409, failure("bad_request", message, { code: "id_taken", param: "id" }));
}
