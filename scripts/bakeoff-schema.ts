/** Writes `docs/schemas/bakeoff-1.schema.json`, the published shape of a report, from the one that is checked. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { bakeoffJsonSchema } from "../src/bakeoff/report/report-json-schema.ts";

const file = fileURLToPath(new URL("../docs/schemas/bakeoff-1.schema.json", import.meta.url));
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(bakeoffJsonSchema(), null, 2)}\n`);
