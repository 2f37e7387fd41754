import { z } from "zod";
import { BAKEOFF_SCHEMA, bakeoffReport } from "./bakeoff-report.ts";

/** The shape of a report as JSON Schema (draft 2020-12), as it is published. */
export function bakeoffJsonSchema(): Record<string, unknown> {
  const title = `Report of a bake-off (${BAKEOFF_SCHEMA})`;
  const description = "Figures only: it holds no text of any call.";
  return { title, description, ...z.toJSONSchema(bakeoffReport, { io: "input" }) };
}
