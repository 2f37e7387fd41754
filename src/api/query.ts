/** Questions to the telemetry in a subset of SQL. */
import { z } from "zod";
import * as shapes from "../query/answer.ts";
import { QUERY_FAULT_CODES } from "../query/fault.ts";
import { endpoint } from "./endpoint.ts";
import { errorAnswer } from "./faults.ts";

/** What the error of a refused query says beside the usual. */
const queryFault = z
  .object({
    error: errorAnswer.shape.error.extend({
      code: z.enum(QUERY_FAULT_CODES),
      position: z.int().describe("Offset in the query, in UTF-16 units from 0"),
      length: z.int(),
      expected: z.array(z.string()),
      found: z.string(),
      hint: z.string().optional(),
    }),
  })
  .meta({ id: "QueryFault" });

export type QueryFaultDetails = Pick<
  z.output<typeof queryFault>["error"],
  "code" | "position" | "length" | "expected" | "found" | "hint"
>;

/** A body that is no query at all is refused in the common shape. */
const refusal = z.union([queryFault, errorAnswer]);

export const queryTelemetry = endpoint({
  operation: "queryTelemetry",
  method: "post",
  path: "/v1/query",
  aliases: ["/query"],
  access: "query",
  summary: "A question to the telemetry, in a read-only subset of SQL",
  body: z
    .strictObject({
      query: z.string().describe("See docs/query.md; EXPLAIN before it shows how it would be answered."),
    })
    .meta({ id: "QueryRequest" }),
  answers: {
    200: {
      description: "The answer, or the explanation asked for",
      json: z.union([shapes.queryAnswer, shapes.queryExplanation]).meta({ id: "QueryAnswer" }),
    },
  },
  faults: { 400: "The body or the query cannot be understood", 504: "The query took too long" },
  fault: { 400: refusal, 403: refusal, 504: queryFault },
});
