import type { Hono } from "hono";
import { addEvalCase, archiveEvalCase, getEvalCase, listEvalCases } from "../../../src/api/eval-cases.ts";
import type { Caller } from "../../calls/call-access.ts";
import type { AppEnv } from "../../context.ts";
import { type HttpFault, notFound } from "../../http/fault.ts";
import { actorOf, prefixedId } from "../actor.ts";
import { mount } from "../mount.ts";
import { pageOf } from "../page.ts";
import { isoOf } from "../wording.ts";
import { evalCaseJson, evalCaseShownTo } from "./eval-case-json.ts";
import { writeReply } from "./write-reply.ts";

/** `/v1/eval-cases`: goldens for bake-offs. Archived ones are kept and no longer drawn. */
export function mountEvalCases(app: Hono<AppEnv>): void {
  mount(app, addEvalCase).with(async (request) => {
    const { body, runtime } = request;
    const made = { ...body, id: body.id ?? prefixedId("case"), createdAt: runtime.now() };
    const status = await casesOf(request).insert(made, actorOf(request));
    const kept = status === "stored" ? made : await casesOf(request).get(made.id);
    return writeReply(made.id, status, evalCaseShownTo(request.principal, kept ?? made));
  });

  mount(app, listEvalCases).with(async (request) => {
    const { after, limit, ...rest } = request.query;
    const from = after && { createdAt: after.at, id: after.id };
    const found = await casesOf(request).list({ ...rest, after: from, limit: limit + 1 });
    const { shown, next } = pageOf(found, limit, ({ createdAt }) => createdAt);
    return { status: 200, body: { eval_cases: shown.map(evalCaseJson), next } };
  });

  mount(app, getEvalCase).with(async (request) => {
    const found = await casesOf(request).get(request.params.id);
    if (!found) throw noCase();
    return { status: 200, body: evalCaseJson(found) };
  });

  mount(app, archiveEvalCase).with(async (request) => {
    const { id } = request.params;
    const archived = (await casesOf(request).archive(id, actorOf(request)))
      ? await casesOf(request).get(id)
      : undefined;
    if (archived?.archivedAt === undefined) throw noCase();
    return {
      status: 200,
      body: { ...evalCaseShownTo(request.principal, archived), id, archived_at: isoOf(archived.archivedAt) },
    };
  });
}

function casesOf({ runtime, principal }: Caller) {
  return runtime.store().forOrg(principal.org).evalCases;
}

function noCase(): HttpFault {
  return notFound("no such eval case", "eval_case_not_found", "id");
}
