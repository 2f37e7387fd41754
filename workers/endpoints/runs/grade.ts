import type { Hono } from "hono";
import { recordGrade } from "../../../src/api/runs.ts";
import { failure } from "../../../src/failure/failure.ts";
import { awaitSubject } from "../../../src/runs/subject.ts";
import type { AppEnv } from "../../context.ts";
import { HttpFault } from "../../http/fault.ts";
import { actorOf, prefixedId } from "../actor.ts";
import { requireHappened } from "../clock.ts";
import { mount } from "../mount.ts";
import { writeReply } from "./write-reply.ts";

/** `POST /v1/grade`: a judgment from 0 to 1. Grades are never changed: the latest of a grader on a subject counts. */
export function mountGrade(app: Hono<AppEnv>): void {
  mount(app, recordGrade).with(async (request) => {
    const { runtime, principal, body } = request;
    const { created_at: createdAt, ...given } = body;
    requireHappened(runtime.now(), { created_at: createdAt });
    const store = runtime.store().forOrg(principal.org).grades;
    const state = await awaitSubject(given.subject, store, principal.rowScope, runtime);
    if (state !== "known") throw unknownSubject(state === "maybe_later");
    const made = { ...given, id: given.id ?? prefixedId("grade"), createdAt: createdAt ?? runtime.now() };
    const [status = "duplicate"] = await store.record([made], actorOf(request));
    return writeReply(made.id, status, {});
  });
}

function unknownSubject(mayArrive: boolean): HttpFault {
  const message = mayArrive
    ? "no inference has this id yet; its record may still be on its way: try again"
    : "no inference, run or artifact of this org is named so; a grade on it would count nowhere";
  const fault = failure("bad_request", message, { code: "unknown_subject", param: "subject.id" });
  return new HttpFault(404, fault, mayArrive ? { "retry-after": "2" } : {});
}
