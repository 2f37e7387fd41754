/** Items of the Responses API as they are kept, listed and sent again. */
import { arrayAt, isRecord, type JsonRecord, stringAt } from "../json/record.ts";

const PREFIX: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
};

const GENERATED = /_input_\d+$/;
/** Longer ids are no provider's and not indexed. */
const LONGEST_ID = 200;

/** The items of a request's `input`, each with an id; references stay as they are. */
export function keptInput(input: unknown, responseId: string): readonly JsonRecord[] {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : Array.isArray(input) ? input : [];
  return items.filter(isRecord).map((item, index) => {
    const type = stringAt(item, "type") ?? "message";
    if (type === "item_reference") return item;
    const id = stringAt(item, "id") ?? `${PREFIX[type] ?? "item"}_${responseId}_input_${index}`;
    const whole = type === "message" ? { ...item, content: parts(item), status: item["status"] ?? "completed" } : item;
    return { ...whole, type, id };
  });
}

function parts({ role, content }: JsonRecord): unknown {
  if (typeof content !== "string") return content;
  return role === "assistant"
    ? [{ type: "output_text", text: content, annotations: [] }]
    : [{ type: "input_text", text: content }];
}

/** The item in the form in which a client would send it. */
export function sentAgain(item: JsonRecord): JsonRecord {
  const { id, status, ...rest } = item;
  return typeof id === "string" && GENERATED.test(id) ? rest : item;
}

/** Output items that can stand in a later request. Thinking is of no use without what its provider encrypted. */
export function continuable(response: JsonRecord): readonly JsonRecord[] {
  return outputOf(response).filter((item) => item["type"] !== "reasoning" || stringAt(item, "encrypted_content"));
}

/** Ids by which later requests may refer to items of the response. */
export function itemIds(response: JsonRecord): readonly string[] {
  const ids = outputOf(response).map((item) => stringAt(item, "id") ?? "");
  return [...new Set(ids)].filter((id) => id !== "" && id.length <= LONGEST_ID);
}

export function outputOf(response: JsonRecord): readonly JsonRecord[] {
  return (arrayAt(response, "output") ?? []).filter(isRecord);
}

/** The id that an `item_reference` names. Its type may be left out. */
export function referredId(item: unknown): string | undefined {
  const id = stringAt(item, "id");
  if (id === undefined || !isRecord(item)) return undefined;
  const type = item["type"];
  const bare = (type === undefined || type === null) && item["role"] === undefined;
  return type === "item_reference" || bare ? id : undefined;
}

/** Whether a request needs what was kept before. */
export function refersBack(body: JsonRecord): boolean {
  if (body["previous_response_id"] !== undefined && body["previous_response_id"] !== null) return true;
  return (arrayAt(body, "input") ?? []).some((item) => referredId(item) !== undefined);
}
