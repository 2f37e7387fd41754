import type { Rig } from "../surface.ts";
import { tapMethod } from "./tap-method.ts";
import type { WrapOptions } from "./wrap-options.ts";

/**
 * Records every call that a client of the package `openai` makes: chat completions, responses and embeddings, whole or
 * streamed, with their retries and failures. Returns the same client; requests, answers and errors stay what they were.
 * Never throws. A chat stream has its usage only where the request asks for it (`stream_options: { include_usage: true }`).
 *
 * @example
 * const client = wrapOpenAI(new OpenAI(), rig, { stepKey: "summarize" });
 * await client.chat.completions.create({ model: "gpt-5.4-mini", messages: [{ role: "user", content: "hello" }] });
 */
export function wrapOpenAI<Client extends { baseURL: string }>(
  client: Client,
  rig: Rig,
  options: WrapOptions = {},
): Client {
  tapMethod(client, "fetch", rig, options);
  return client;
}
