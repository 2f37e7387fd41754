import { beforeAll, describe, expect, it } from "vitest";
import { questionKey } from "../../../src/replay/question.ts";
import type { ReplayPayload } from "../../../src/replay/replay-payload.ts";
import type { Route } from "../../../src/route/route.ts";
import { routeOf } from "../../support/sources/bundles.ts";

let route: Route;
beforeAll(async () => {
  route = await routeOf(`route: acme.task
candidates: [{ provider: sim, model: atlas-small }]
template: { user: "{{ text }} in {{ language }}" }
input:
  type: object
  properties:
    text: { type: string }
    language: { type: string, default: English }
    note: { type: string }
    tone: { type: string }
variants:
  - name: toned
    template: { user: "{{ text }}, {{ tone }}" }
`);
});

const variables = (values: Record<string, unknown>): ReplayPayload => ({ kind: "variables", variables: values });
const messages = (request: Record<string, unknown>): ReplayPayload => ({ kind: "messages", request });
const user = (content: unknown, more: Record<string, unknown> = {}) =>
  messages({ messages: [{ role: "user", content }], ...more });

async function areOneQuestion(one: ReplayPayload, two: ReplayPayload): Promise<boolean> {
  return (await questionKey(one, route)) === (await questionKey(two, route));
}

describe("one question", () => {
  it.each<[string, ReplayPayload, ReplayPayload]>([
    ["keys in another order", variables({ text: "a", tone: "dry" }), variables({ tone: "dry", text: "a" })],
    ["a variable that no template renders", variables({ text: "a", note: "1" }), variables({ text: "a", note: "2" })],
    ["a variable that the route does not know", variables({ text: "a" }), variables({ text: "a", request_id: "7" })],
    ["a default that is written out", variables({ text: "a" }), variables({ text: "a", language: "English" })],
    ["null for a variable that is left out", variables({ text: "a" }), variables({ text: "a", tone: null })],
    ["blanks around a text", variables({ text: "a\r\nb" }), variables({ text: " a\nb \n" })],
    ["another way to write é", variables({ text: "caf\u00e9" }), variables({ text: "cafe\u0301" })],
    ["a text or its one part", user("a"), user([{ type: "text", text: "a", cache_control: { type: "ephemeral" } }])],
    [
      "sampling, limits and names of callers",
      user("a"),
      user("a", { temperature: 1, seed: 7, max_tokens: 9, user: "u1" }),
    ],
    [
      "system by its newer name",
      messages({ messages: [{ role: "system", content: "s" }] }),
      messages({ messages: [{ role: "developer", content: "s" }] }),
    ],
    ["ids that were drawn for tool calls", conversation("call_8f2", "call_9a1"), conversation("toolu_01", "toolu_02")],
  ])("stays one: %s", async (_, one, two) => {
    expect(await areOneQuestion(one, two)).toBe(true);
  });

  it.each<[string, ReplayPayload, ReplayPayload]>([
    ["another text", variables({ text: "a" }), variables({ text: "b" })],
    ["indentation within a text", variables({ text: "if:\n  a" }), variables({ text: "if:\na" })],
    ["a variable that only a variant renders", variables({ text: "a" }), variables({ text: "a", tone: "dry" })],
    ["a number and its text", variables({ text: 1 }), variables({ text: "1" })],
    ["tools", user("a"), user("a", { tools: [{ type: "function", function: { name: "f" } }] })],
    ["the format that is asked for", user("a"), user("a", { response_format: { type: "json_object" } })],
    ["which call a tool's answer belongs to", conversation("x", "y"), conversation("x", "y", true)],
    ["messages that say what variables say", user("a"), variables({ text: "a" })],
  ])("is another with %s", async (_, one, two) => {
    expect(await areOneQuestion(one, two)).toBe(false);
  });

  it("is told apart by all variables where the route has no template", async () => {
    const bare = { ...route, template: undefined, variants: [], input: undefined };
    const [one, two] = [variables({ a: 1, b: 1 }), variables({ a: 1, b: 2 })];
    expect(await questionKey(one, bare)).not.toBe(await questionKey(two, bare));
  });

  it("keeps its key when a template is reworded", async () => {
    const reworded = { ...route, template: { user: "Translate {{ text }} into {{ language }}" } };
    expect(await questionKey(variables({ text: "a" }), reworded)).toBe(
      await questionKey(variables({ text: "a" }), route),
    );
  });
});

function conversation(first: string, second: string, swapped = false): ReplayPayload {
  const call = (id: string) => ({ id, type: "function", function: { name: "look_up", arguments: "{}" } });
  const answer = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
  const [left, right] = swapped ? [second, first] : [first, second];
  return messages({
    messages: [
      { role: "user", content: "both" },
      { role: "assistant", content: null, tool_calls: [call(first), call(second)] },
      answer(left, "one"),
      answer(right, "two"),
    ],
  });
}
