/** The files of other tools that captures are imported from. The first format that recognises an entry reads it. */
import { anthropic } from "./anthropic.ts";
import type { ImportFormat } from "./imported-call.ts";
import { langfuse } from "./langfuse.ts";
import { litellm } from "./litellm.ts";
import { openaiBatch } from "./openai-batch.ts";
import { openaiJsonl } from "./openai-jsonl.ts";
import { promptfoo } from "./promptfoo.ts";

export const IMPORT_FORMATS: readonly ImportFormat[] = [
  openaiBatch,
  litellm,
  langfuse,
  promptfoo,
  anthropic,
  openaiJsonl,
];
