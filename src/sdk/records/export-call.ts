/** Records calls that were made without the rig. */
import type { PriceBook } from "../../money/price.ts";
import { recordedCall, recordedInference } from "../../telemetry/recorded.ts";
import type { Exporter } from "../export/exporter.ts";
import { marksOf } from "../marks.ts";
import type { RunContext } from "../run-context.ts";
import { reasonOf, type Warnings } from "../warnings.ts";
import type { RecordCallInput, RecordedCallRef } from "./call-report.ts";

interface RecordCallPorts {
  readonly context: RunContext;
  readonly exporter: Exporter;
  readonly warn: Warnings;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly prices: () => PriceBook;
}

export function exportCall(input: RecordCallInput, ports: RecordCallPorts): RecordedCallRef {
  const { context, exporter, warn, now, newId, prices } = ports;
  try {
    const { tags, run, step } = marksOf(input, context, warn);
    const parsed = recordedCall.safeParse({ ...input, tags, run, stepKey: step });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const why = [issue?.path.join("."), issue?.message].filter(Boolean).join(": ");
      warn.once("recordCall", `recordCall was given what does not fit, and recorded nothing: ${why}`);
      return { inferenceId: null };
    }
    const inference = recordedInference(parsed.data, { org: "local", now: now(), prices: prices(), newId });
    exporter.add({ type: "inference", inference });
    return { inferenceId: inference.id };
  } catch (cause) {
    warn.once("recordCall", `recordCall recorded nothing: ${reasonOf(cause)}`);
    return { inferenceId: null };
  }
}
