import type { Rig } from "../surface.ts";
import { tapMethod } from "./tap-method.ts";
import type { WrapOptions } from "./wrap-options.ts";

/**
 * Records every call of messages that a client of `@anthropic-ai/sdk` makes, whole or streamed, with its retries and
 * failures. Returns the same client; requests, answers and errors stay what they were. Never throws.
 *
 * @example
 * const anthropic = wrapAnthropic(new Anthropic(), rig);
 * await anthropic.messages.create({
 *   model: "claude-haiku-4-5",
 *   max_tokens: 100,
 *   messages: [{ role: "user", content: "hello" }],
 * });
 */
export function wrapAnthropic<Client extends { baseURL: string }>(
  client: Client,
  rig: Rig,
  options: WrapOptions = {},
): Client {
  tapMethod(client, "fetch", rig, options);
  return client;
}
