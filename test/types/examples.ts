/** The documented examples, as a user's project compiles them. `examples-run.ts` runs every one. */
import { createRig, loadConfigFromEnv, type RecordCallInput, type Rig, type RigConfig } from "modelrig";

/** A provider's own client, as far as the examples use it. */
export interface Genai {
  readonly models: {
    generateContent(request: { readonly model: string; readonly contents: string }): Promise<{
      readonly usageMetadata?: {
        readonly promptTokenCount?: number;
        readonly candidatesTokenCount?: number;
        readonly thoughtsTokenCount?: number;
        readonly cachedContentTokenCount?: number;
      };
      readonly candidates?: readonly { readonly finishReason?: string }[];
    }>;
  };
}

export function rawRig(more: RigConfig = {}): Rig {
  // Raw-only on purpose: no route files needed.
  return createRig({ ...loadConfigFromEnv(), ...more, routesDir: null });
}

export async function recordOwnCall(rig: Rig, genai: Genai, contents: string): Promise<string | null> {
  const started = Date.now();
  const resp = await genai.models.generateContent({ model: "gemini-3.1-pro-preview", contents });
  const u = resp.usageMetadata;
  const finishReason = resp.candidates?.[0]?.finishReason;

  const rec = rig.recordCall({
    provider: "gemini",
    model: "gemini-3.1-pro-preview",
    usage: {
      tokensIn: u?.promptTokenCount ?? 0, // total input, cached included
      tokensOut: (u?.candidatesTokenCount ?? 0) + (u?.thoughtsTokenCount ?? 0),
      tokensCached: u?.cachedContentTokenCount ?? 0,
      // optional fields: spread only when the provider reported them
      ...(u?.thoughtsTokenCount !== undefined ? { reasoningTokens: u.thoughtsTokenCount } : {}),
    },
    servedTier: "standard",
    latencyMs: Date.now() - started,
    stepKey: "summarize",
    ...(finishReason !== undefined ? { finishReason } : {}),
  });
  if (rec.inferenceId !== null) {
    rig.grade({ kind: "inference", id: rec.inferenceId }, { score: 1, kind: "deterministic" });
  }
  return rec.inferenceId;
}

export async function gradeRun(
  rig: Rig,
  { ticketId, ticket, customer }: { readonly ticketId: string; readonly ticket: string; readonly customer: string },
): Promise<{ readonly runId: string; readonly inferenceId: string }> {
  const run = rig.artifacts.run.start({ pipeline: "support", episodeKey: ticketId, environment: "production" });
  const result = await rig.run("example.support_summarize", {
    input: { ticket },
    tags: { subject: customer },
    stepKey: "summarize",
  });
  run.end("succeeded");

  // one call: the inference id rides on every result
  rig.grade(
    { kind: "inference", id: result.meta.inferenceId },
    { score: 1, kind: "deterministic", grader: "schema-check" },
  );
  // the whole run: its id is run.runId from run.start
  rig.grade({ kind: "run", id: run.runId }, { score: 0, kind: "human", comment: "missed the refund request" });
  return { runId: run.runId, inferenceId: result.meta.inferenceId };
}

export interface Step {
  readonly key: string;
  readonly schema: unknown;
}

export interface ModelAnswer {
  readonly rawText: string;
  readonly json: unknown;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

export async function observePipeline(
  rig: Rig,
  steps: readonly Step[],
  callModel: (prompt: string) => Promise<ModelAnswer>,
): Promise<string> {
  const run = rig.artifacts.run.start({
    pipeline: "my-pipeline",
    episodeKey: "attempt-1",
    environment: process.env["NODE_ENV"] ?? "development",
  });
  try {
    for (const step of steps) {
      const prompt = `do ${step.key}`;
      const started = Date.now();
      const result = await callModel(prompt); // your own direct model call

      // Report the call: tokens → cost on the step and on the inference.
      rig.recordCall({
        provider: "openai",
        model: "gpt-5.4-mini",
        usage: { tokensIn: result.usage.inputTokens, tokensOut: result.usage.outputTokens },
        latencyMs: Date.now() - started,
        stepKey: step.key,
      });

      // Save the step's work products, and say how they come from one another.
      const { save, link } = rig.artifacts.artifact;
      const p = save(prompt, { name: `${step.key}.prompt`, type: "prompt", stepKey: step.key });
      const raw = save(result.rawText, { name: `${step.key}.raw`, type: "raw_response", stepKey: step.key });
      const parsed = save(result.json, {
        name: `${step.key}.output`,
        type: "step_output",
        task: step.key,
        stepKey: step.key,
        schema: step.schema,
      });
      if (p && parsed) link(parsed, p, "derived_from");
      if (raw && parsed) link(parsed, raw, "derived_from");

      // Grades: anything you can decide without a judge.
      if (parsed) {
        rig.grade(
          { kind: "artifact", id: parsed.id },
          { score: result.json === null ? 0 : 1, kind: "deterministic", grader: "schema-check" },
        );
      }
    }
    run.end("succeeded");
  } catch (err) {
    run.end("failed");
    throw err;
  }
  return run.runId;
}

/** Runs that overlap: each scope keeps its own context. */
export async function overlappingRuns(rig: Rig, subjects: readonly string[]): Promise<readonly string[]> {
  return await Promise.all(
    subjects.map((subject) =>
      rig.artifacts.run.scope({ pipeline: "report", subject, feature: "section" }, async (run) => {
        const arm: string | null = subject.length > 3 ? "b" : null;
        const out = await rig.run("example.support_summarize", {
          input: { ticket: subject },
          stepKey: "section",
          // optional: pass it only when drawn
          ...(arm !== null ? { arm } : {}),
        });
        rig.artifacts.artifact.save(out.output, { name: "section.output", type: "step_output" });
        return run.runId;
      }),
    ),
  );
}

/** The exporter asks whose key it is on its first flush, and sends nothing while it is another org's. */
export function expectOrg(more: RigConfig = {}): Rig {
  return createRig({ ...loadConfigFromEnv(), ...more, expectOrg: "your-org" });
}

/** The seam that `modelrig observe` writes: report the call, save prompt, raw and parsed, link, flag conformance. */
export function recordStep(
  rig: Rig,
  stepKey: string,
  work: {
    readonly prompt: string;
    readonly rawText: string;
    readonly json: unknown;
    readonly conforms: boolean;
    readonly call?: Omit<RecordCallInput, "stepKey">;
  },
): string | null {
  if (work.call !== undefined) rig.recordCall({ ...work.call, stepKey });
  const { save, link, promoteToEval } = rig.artifacts.artifact;
  const p = save(work.prompt, { name: `${stepKey}.prompt`, type: "prompt", stepKey });
  const raw = save(work.rawText, { name: `${stepKey}.raw`, type: "raw_response", stepKey });
  const parsed = save(work.json, { name: `${stepKey}.output`, type: "step_output", task: stepKey, stepKey });
  if (p && parsed) link(parsed, p, "derived_from");
  if (raw && parsed) link(parsed, raw, "derived_from");
  if (parsed) {
    const score = work.conforms ? 1 : 0;
    rig.grade({ kind: "artifact", id: parsed.id }, { score, kind: "deterministic", grader: "schema-check" });
  }
  return parsed ? promoteToEval(parsed, { task: stepKey }) : null;
}
