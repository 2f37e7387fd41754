/** The file of the outputs of each arm, beside the journal. The judge and the page side by side read it; it stays here. */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { z } from "zod";
import type { SampleOutput } from "../../../bakeoff/ports.ts";
import { parsedJson } from "../../../json/parsed.ts";
import type { InferenceRecord } from "../../../record/inference-record.ts";
import { inferenceRecord } from "../../../record/inference-record.ts";
import { recordOf } from "../../../telemetry/record.ts";

/** `record`: the figures of the call, which go to the gateway together with a grade of it. */
const line = z.object({
  input: z.string(),
  arm: z.string(),
  output: z.unknown(),
  record: inferenceRecord.optional().catch(undefined),
});

interface StoredOutput extends Pick<SampleOutput, "input" | "arm" | "output"> {
  readonly record?: InferenceRecord | undefined;
}

export interface OutputFile {
  readonly append: (output: SampleOutput) => void;
  /** What an earlier run of this bake-off wrote, read when it is first asked for. */
  readonly outputOf: (input: string, arm: string) => unknown;
  readonly close: () => void;
}

export function outputFile(file: string): OutputFile {
  let open: number | undefined;
  let earlier: ReadonlyMap<string, unknown> | undefined;
  return {
    append({ input, arm, output, inference }) {
      open ??= openSync(file, "a", 0o600);
      const stored: StoredOutput = { input, arm, output, record: inference && recordOf(inference) };
      writeSync(open, `${JSON.stringify(stored)}\n`);
    },
    outputOf(input, arm) {
      earlier ??= new Map(readOutputs(file).map((one) => [keyOf(one), one.output]));
      return earlier.get(keyOf({ input, arm }));
    },
    close() {
      if (open !== undefined) closeSync(open);
      open = undefined;
    },
  };
}

/** A line that a crash cut is left out. */
export function readOutputs(file: string): StoredOutput[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((text) => {
      const read = line.safeParse(parsedJson(text));
      return read.success ? [read.data] : [];
    });
}

function keyOf({ input, arm }: Pick<SampleOutput, "input" | "arm">): string {
  return JSON.stringify([input, arm]);
}
