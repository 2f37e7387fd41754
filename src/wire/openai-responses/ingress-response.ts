/** Neutral answer → a response object. */
import type { ChatAnswer } from "../chat.ts";
import type { ServedContext } from "../dialect.ts";
import { partEvents } from "../part-events.ts";
import { OutputWriter } from "./output-writer.ts";
import { completedObject, endStatus, responseObject } from "./response-object.ts";

/** Only the first choice: the dialect cannot express several, and its requests cannot ask for them. */
export function encodeAnswer(answer: ChatAnswer, served: ServedContext): Record<string, unknown> {
  if (answer.native?.dialect === "openai-responses") return completedObject(served, answer.native.body);
  const choice = answer.choices[0];
  const { usage, servedTier } = answer;
  const writer = new OutputWriter(served, () => undefined);
  const content = choice?.content ?? [];
  for (const [index, part] of content.entries()) for (const event of partEvents(part, 0, index)) writer.write(event);
  const status = endStatus(choice?.finish);
  writer.close(status);
  return responseObject(served, { status, output: writer.output, finish: choice?.finish, usage, servedTier });
}
