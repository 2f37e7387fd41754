/** Our own shape of a capture in a file: one JSON object per line, as `captures list --json` prints it. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { FAILURE_CLASSES } from "../failure/failure.ts";
import type { JsonRecord } from "../json/record.ts";
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

/** Says whether an entry is of our own shape: it names its route, or has variables instead of messages. */
export function isCaptureLine(value: JsonRecord): boolean {
  return "route" in value || "variables" in value;
}

/**
 * Converts one object to a capture, or returns what is wrong with it. Without an `id` it gets one derived from `text`,
 * so that importing twice adds nothing.
 */
export function readCaptureLine(value: unknown, text: string, now: number): Capture | string {
  const parsed = line.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return [issue?.path.join("."), issue?.message].filter(Boolean).join(": ");
  }
  const { id, route, variant, ts, output, outcome, inference_id: inferenceId, served, tags } = parsed.data;
  return {
    id: id ?? `imp_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`,
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
