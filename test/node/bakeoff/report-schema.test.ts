import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { reportOf } from "../../../src/bakeoff/report/assemble-report.ts";
import { bakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { bakeoffJsonSchema } from "../../../src/bakeoff/report/report-json-schema.ts";
import { compileSchema } from "../../../src/json/schema/validate.ts";
import { analysedRun } from "../../support/bakeoff/bakeoff-analysis.ts";

const published = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../../docs/schemas/bakeoff-1.schema.json", import.meta.url)), "utf8"),
) as Record<string, unknown>;

describe("the published schema of a report", () => {
  it("is the one that reports are checked by: node scripts/bakeoff-schema.ts writes it anew", () => {
    expect(published).toEqual(JSON.parse(JSON.stringify(bakeoffJsonSchema())));
  });

  it("accepts a report, and refuses one with a key it does not know", async () => {
    const { plan, run, facts } = await analysedRun({ inputs: 40 });
    const report = JSON.parse(JSON.stringify(await reportOf(plan, run, facts))) as object;
    expect(bakeoffReport.safeParse(report).success).toBe(true);
    const compiled = compileSchema(published);
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
    expect(compiled.value(report)).toEqual({ valid: true });
    expect(compiled.value({ ...report, samples: [] })).toMatchObject({ valid: false });
  });
});
