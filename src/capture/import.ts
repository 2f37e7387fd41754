/** Imports captures from other sources: one JSON object per line. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { FAILURE_CLASSES } from "../failure/failure.ts";
import { parseExact } from "../json/exact-numbers.ts";
import type { ReplayPayload } from "../replay/replay-payload.ts";
import { ID_PATTERN } from "../route/identifier.ts";
import type { Capture } from "./capture.ts";

const line = z
  .strictObject({
    id: z.string().regex(ID_PATTERN).optional(),
    route: z.string().regex(ID_PATTERN),
    variant: z.string().regex(ID_PATTERN).optional(),
    /** ISO instant. */
    ts: z.iso.datetime({ offset: true }).optional(),
    variables: z.record(z.string(), z.unknown()).optional(),
    messages: z.array(z.record(z.string(), z.unknown())).optional(),
    /** A whole chat request, where more than its messages matters. */
    request: z.record(z.string(), z.unknown()).optional(),
    output: z.string().optional(),
    outcome: z.enum(["answered", ...FAILURE_CLASSES]).default("answered"),
    inference_id: z.string().optional(),
    served: z.string().regex(ID_PATTERN).optional(),
    tags: z.record(z.string(), z.string()).default({}),
  })
  .refine(
    ({ variables, messages, request }) =>
      [variables, messages, request].filter((one) => one !== undefined).length === 1,
    "takes exactly one of variables, messages, request",
  );

/**
 * Converts one line to a capture. Without an `id` it gets one derived from its content, so that importing twice adds
 * nothing. Throws an `Error` with what is wrong with the line.
 */
export function readCaptureLine(text: string, now: number): Capture {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (cause) {
    throw new Error("not valid JSON", { cause });
  }
  const parsed = line.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error([issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
  }
  const { id, route, variant, ts, output, outcome, inference_id: inferenceId, served, tags } = parsed.data;
  return {
    id: id ?? `imp_${createHash("sha256").update(text.trim()).digest("hex").slice(0, 32)}`,
    at: ts === undefined ? now : Date.parse(ts),
    route,
    variant,
    payload: payloadOf(parsed.data),
    output,
    outcome,
    inferenceId,
    served,
    tags,
  };
}

function payloadOf({ variables, messages, request }: z.infer<typeof line>): ReplayPayload {
  if (variables) return { kind: "variables", variables };
  const { model: _model, stream: _stream, stream_options: _options, ...kept } = request ?? { messages };
  return { kind: "messages", request: kept };
}
