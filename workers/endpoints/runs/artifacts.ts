import type { Hono } from "hono";
import type { BodyOf } from "../../../src/api/endpoint.ts";
import { promoteArtifact } from "../../../src/api/eval-cases.ts";
import { getArtifact, saveArtifact } from "../../../src/api/runs.ts";
import { failure } from "../../../src/failure/failure.ts";
import { can } from "../../../src/identity/authorize.ts";
import type { Principal } from "../../../src/identity/principal.ts";
import type { ArtifactLink, ArtifactSaved } from "../../../src/runs/artifact.ts";
import { underCustody } from "../../../src/runs/custody.ts";
import type { StoredArtifact } from "../../../src/runs/ports.ts";
import { promote } from "../../../src/runs/promote.ts";
import type { OrgStore } from "../../../src/store/store.ts";
import type { AppEnv } from "../../context.ts";
import { badRequest, HttpFault, notFound } from "../../http/fault.ts";
import { actorOf, prefixedId } from "../actor.ts";
import { requireHappened } from "../clock.ts";
import { mount } from "../mount.ts";
import { evalCaseShownTo } from "./eval-case-json.ts";
import { artifactJson, gradesJson } from "./run-view.ts";
import { knownRun } from "./runs.ts";
import { writeReply } from "./write-reply.ts";

type ArtifactBody = BodyOf<typeof saveArtifact>;

/** `/v1/artifacts`: work products of runs, their lineage, and the way from one to a golden. */
export function mountArtifacts(app: Hono<AppEnv>): void {
  mount(app, saveArtifact).with(async (request) => {
    const { runtime, principal, body } = request;
    requireHappened(runtime.now(), { created_at: body.created_at });
    const store = runtime.store().forOrg(principal.org);
    const saved = savedOf(body, runtime.now());
    const links = linksOf(saved, body);
    await checkMayWrite(store, saved, links, principal);
    const kept = await underCustody(saved, await store.settings.get());
    if (!kept.ok) throw badRequest(kept.fault.message, kept.fault.code);
    const actor = actorOf(request);
    const [status = "duplicate"] = await store.artifacts.save([kept.artifact], actor);
    const known = await store.artifacts.get(saved.id, principal.rowScope);
    if (!known) throw idTaken();
    // Also of one that was there: the first try may have ended between the two.
    await store.artifacts.link(links, actor);
    if (status === "stored") {
      const { hash, bytes, withheld = null } = known;
      return { status: 201, body: { id: saved.id, status, hash, bytes, withheld } };
    }
    // What another wrote under this id is told only to who may read it.
    const told = can(principal, "read") ? known : undefined;
    const { hash = null, bytes = null, withheld = null } = told ?? {};
    return { status: 200, body: { id: saved.id, status, hash, bytes, withheld } };
  });

  mount(app, getArtifact).with(async ({ runtime, principal, params }) => {
    const store = runtime.store().forOrg(principal.org);
    const known = await knownArtifact(store, params.id, principal);
    const [links, grades] = await Promise.all([
      store.artifacts.linksOf([known.id], principal.rowScope),
      store.grades.of({ kind: "artifact", id: known.id }, principal.rowScope),
    ]);
    const body = {
      artifact: { ...artifactJson(known, links), content: known.content ?? null },
      used_by: [...new Set(links.filter(({ source }) => source === known.id).map(({ artifact }) => artifact))],
      grades: gradesJson(grades),
    };
    return { status: 200, body };
  });

  mount(app, promoteArtifact).with(async (request) => {
    const { runtime, principal, params, body } = request;
    const store = runtime.store().forOrg(principal.org);
    const known = await knownArtifact(store, params.id, principal);
    const { task: said, input, origin } = body;
    const corrected = Object.hasOwn(body, "corrected") ? { value: body.corrected } : undefined;
    const origins = input ? [] : await store.artifacts.origins(known.id, principal.rowScope);
    const made = { id: body.id ?? prefixedId("case"), at: runtime.now() };
    const promoted = promote(known, origins, { task: said, input, corrected, origin }, made);
    if (!promoted.ok) {
      const { code, message } = promoted.fault;
      throw new HttpFault(code === "task_required" ? 400 : 409, failure("bad_request", message, { code }));
    }
    const status = await store.evalCases.insert(promoted.evalCase, actorOf(request));
    const kept = status === "stored" ? promoted.evalCase : await store.evalCases.get(made.id);
    if (kept?.artifact !== known.id) throw caseTaken();
    return writeReply(made.id, status, evalCaseShownTo(principal, kept));
  });
}

function savedOf(body: ArtifactBody, now: number): ArtifactSaved {
  const { id = prefixedId("art"), content, json = false, created_at: createdAt = now, ...rest } = body;
  const { derived_from: _derived, consumed: _consumed, ...fields } = rest;
  if (content === undefined || typeof content === "string") return { ...fields, id, json, content, createdAt };
  return { ...fields, id, json: true, content: JSON.stringify(content), createdAt };
}

function linksOf(
  { id, createdAt }: ArtifactSaved,
  { derived_from: derivedFrom = [], consumed = [] }: ArtifactBody,
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

async function knownArtifact(store: OrgStore, id: string, { rowScope }: Principal): Promise<StoredArtifact> {
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
