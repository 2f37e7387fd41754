/** Refusals as the API words them. */
import { z } from "zod";
import { FAILURE_CLASSES } from "../failure/failure.ts";

export const errorAnswer = z
  .object({
    error: z.looseObject({
      message: z.string(),
      type: z.string(),
      code: z.string().nullable().optional(),
      param: z.string().nullable().optional().describe("The field, parameter or header at fault."),
      failure_class: z.enum(FAILURE_CLASSES),
      inference_id: z.string().nullable().optional(),
      attempts: z.array(z.record(z.string(), z.unknown())).optional(),
    }),
  })
  .meta({ id: "Error" });

/** Anthropic's error shape, with our fields beside its own. */
export const messagesError = z
  .object({
    type: z.literal("error"),
    error: z.looseObject({ type: z.string(), message: z.string(), failure_class: z.enum(FAILURE_CLASSES) }),
    request_id: z.string().nullable(),
  })
  .meta({ id: "MessagesError" });
