/** Runs the examples with the built package, in a folder with the route they name. Prints what they answered. */
import { createRig, loadConfigFromEnv, RigError } from "modelrig";
import {
  expectOrg,
  gradeRun,
  observePipeline,
  overlappingRuns,
  rawRig,
  recordOwnCall,
  recordStep,
} from "./examples.js";

const warnings: string[] = [];
const onWarning = (line: string): void => void warnings.push(line);
const rig = createRig({ ...loadConfigFromEnv(), onWarning });
const raw = rawRig({ onWarning });

const genai = {
  models: {
    generateContent: async () => ({
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5 },
      candidates: [{ finishReason: "STOP" }],
    }),
  },
};
const answer = async () => ({ rawText: "{}", json: {}, usage: { inputTokens: 10, outputTokens: 2 } });

const recorded = await recordOwnCall(raw, genai, "hello");
const graded = await gradeRun(rig, { ticketId: "t-1", ticket: "help", customer: "acme" });
const observed = await observePipeline(
  raw,
  [
    { key: "one", schema: {} },
    { key: "two", schema: {} },
  ],
  answer,
);
const overlapping = await overlappingRuns(rig, ["a", "bb", "cccc"]);
const work = { prompt: "p", rawText: "{}", json: {}, conforms: true };
const promoted = recordStep(raw, "seam", { ...work, call: { provider: "openai", model: "gpt-5.4-mini" } });
const refusal = await raw.run("example.support_summarize", { input: {} }).catch((error: unknown) => error);
const notNamed = await rig.run("example.missing", { input: {} }).catch((error: unknown) => error);

const other = expectOrg({ onWarning, routesDir: null });
other.recordCall({ provider: "openai", model: "gpt-5.4-mini" });
await other.flush();
await Promise.all([rig.close(), raw.close(), other.close()]);
process.stdout.write(
  JSON.stringify({
    node: process.version,
    ...{ recorded, graded, observed, overlapping, promoted, warnings },
    refusal: refusal instanceof Error ? refusal.message : "",
    notNamed: notNamed instanceof RigError ? notNamed.failureClass : "",
  }),
);
