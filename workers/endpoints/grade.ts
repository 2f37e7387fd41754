import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { failure } from "../../src/failure/failure.ts";
import { grade as gradeShape } from "../../src/runs/grade.ts";
import { awaitSubject } from "../../src/runs/subject.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { HttpFault } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { actorOf, prefixedId } from "./control.ts";
import { parseBody, time } from "./listing.ts";
import { statusOf } from "./runs.ts";

const { id, subject, score, kind, grader, comment } = gradeShape.shape;

export const gradeRequest = z
  .strictObject({
    id: id.optional().describe("Yours; sent again, it changes nothing. Absent = one is made."),
    subject: subject.describe("An inference, artifact or run; a run also by its episode key."),
    ...{ score, kind, grader, comment },
    created_at: time.optional().describe("Absent = now."),
  })
  .openapi("GradeRequest");

export const gradeRecorded = z
  .object({ id: z.string(), status: z.enum(["stored", "duplicate"]) })
  .openapi("GradeRecorded");

/** `POST /v1/grade`: a judgment from 0 to 1. Grades are never changed: the latest of a grader on a subject counts. */
export function grade(app: Hono<AppEnv>): void {
  app.post("/v1/grade", async (c) => {
    const { runtime, principal } = callerOf(c, "grade");
    const body = parseBody(gradeRequest, await readJsonBody(c.req.raw, runtime.config.limits));
    const { created_at: createdAt, ...given } = body;
    const store = runtime.store().forOrg(principal.org).grades;
    const state = await awaitSubject(given.subject, store, principal.rowScope, runtime);
    if (state !== "known") throw unknownSubject(state === "maybe_later");
    const made = { ...given, id: given.id ?? prefixedId("grade"), createdAt: createdAt ?? runtime.now() };
    const [status = "duplicate"] = await store.record([made], actorOf(runtime, principal));
    return c.json({ id: made.id, status } satisfies z.output<typeof gradeRecorded>, statusOf(status));
  });
}

function unknownSubject(mayArrive: boolean): HttpFault {
  const message = mayArrive
    ? "no inference has this id yet; its record may still be on its way: try again"
    : "no inference, run or artifact of this org is named so; a grade on it would count nowhere";
  const fault = failure("bad_request", message, { code: "unknown_subject", param: "subject.id" });
  return new HttpFault(404, fault, mayArrive ? { "retry-after": "2" } : {});
}
