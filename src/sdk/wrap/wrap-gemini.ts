import type { Rig } from "../surface.ts";
import { tapMethod } from "./tap-method.ts";
import type { WrapOptions } from "./wrap-options.ts";

/**
 * Records every call of content that a client of `@google/genai` makes, whole, streamed or in a chat, each round of
 * automatic function calls by itself. Returns the same client; requests, answers and errors stay what they were. Never
 * throws. Retries that the client makes by itself are one call.
 *
 * @example
 * const gemini = wrapGemini(new GoogleGenAI({ apiKey: process.env["GEMINI_API_KEY"] ?? "" }), rig);
 * await gemini.models.generateContent({ model: "gemini-3.1-flash-lite", contents: "hello" });
 */
export function wrapGemini<Client extends { readonly models: object }>(
  client: Client,
  rig: Rig,
  options: WrapOptions = {},
): Client {
  // The client's one door to the network; its typings keep it to itself.
  const { apiClient } = client as Client & { readonly apiClient?: object };
  tapMethod(apiClient, "apiCall", rig, options);
  return client;
}
