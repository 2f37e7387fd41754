/** Fields of a client's body that only an Anthropic upstream can honour. */
import { arrayAt, isRecord, type JsonRecord, recordAt } from "../../json/record.ts";

const BODY = new Set([
  ...["model", "messages", "system", "max_tokens", "tools", "tool_choice", "temperature", "top_p", "top_k"],
  ...["stop_sequences", "stream", "thinking", "output_config", "output_format", "service_tier", "metadata"],
]);
const OUTPUT = new Set(["format", "effort"]);
const METADATA = new Set(["user_id"]);
const TOOL = new Set(["type", "name", "description", "input_schema", "strict", "cache_control"]);
/** Fields of a document besides its bytes. */
const DOCUMENT = ["citations", "context"];

export function unmappedFields(body: JsonRecord, betas: string | undefined): readonly string[] | undefined {
  const paths = new Set<string>();
  const note = (record: JsonRecord | undefined, known: ReadonlySet<string>, prefix: string): void => {
    for (const [key, value] of Object.entries(record ?? {}))
      if (!known.has(key) && value !== null && value !== undefined) paths.add(prefix + key);
  };
  note(body, BODY, "");
  note(recordAt(body, "output_config"), OUTPUT, "output_config.");
  note(recordAt(body, "metadata"), METADATA, "metadata.");
  for (const tool of (arrayAt(body, "tools") ?? []).filter(isRecord))
    if (tool["type"] === undefined || tool["type"] === "custom") note(tool, TOOL, "tools[].");
  for (const block of (arrayAt(body, "messages") ?? []).flatMap((message) => arrayAt(message, "content") ?? [])) {
    if (!isRecord(block) || block["type"] !== "document") continue;
    for (const field of DOCUMENT) if (block[field] != null) paths.add(`messages[].content[].${field}`);
  }
  if (betas !== undefined) paths.add("anthropic-beta");
  return paths.size > 0 ? [...paths] : undefined;
}
