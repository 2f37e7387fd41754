import { describe, expect, it } from "vitest";
import { replayCall } from "../../../src/bakeoff/execution/replay-call.ts";
import { armsOf, referenceArm } from "../../../src/bakeoff/plan/arm.ts";
import type { ModelCapabilities } from "../../../src/provider/provider.ts";
import type { ReplayPayload } from "../../../src/replay/replay-payload.ts";
import type { ChatRequest } from "../../../src/wire/chat.ts";
import { routeOf } from "../../support/sources/bundles.ts";

const route = await routeOf(`route: acme.task
candidates:
  - { provider: sim, model: atlas-large, params: { temperature: 0.2 } }
  - { provider: sim, model: atlas-small, trial: true }
input: { type: object, properties: { text: { type: string } }, required: [text] }
template:
  system: "{% if caps.reasoning %}Think.{% else %}Answer.{% endif %}"
  user: "{{ text }}"
budget: { usd_per_call: 0.01, usd_per_day: 1 }
variants:
  - name: terse
    candidates: [{ provider: sim, model: atlas-small }]
    template: { system: Be terse., user: "In short: {{ text }}" }
    params: { max_tokens: 50 }
`);

function callOf(payload: ReplayPayload, variant: string) {
  const arms = armsOf(route, [variant], "default");
  const arm = arms.ok ? arms.value.find(({ name }) => name === variant) : undefined;
  if (!arm) throw new Error(`no arm ${variant}`);
  return replayCall({ payload }, arm, { id: "bo_1", org: "local", claims: [] });
}

function asked(payload: ReplayPayload, variant: string, capabilities: ModelCapabilities) {
  const call = callOf(payload, variant);
  const [candidate] = call.policy.candidates;
  if (!candidate) throw new Error("no candidate");
  return call.requestFor(candidate, capabilities);
}

const textsOf = (request: unknown): string[] =>
  (request as ChatRequest).messages.map((message) =>
    message.content.map((part) => ("text" in part ? part.text : "")).join(""),
  );

const variables = (text: unknown): ReplayPayload => ({ kind: "variables", variables: { text } });

describe("the replay of variables", () => {
  it("renders through the arm's own template", () => {
    expect(textsOf(asked(variables("hello"), "default", {}))).toEqual(["Answer.", "hello"]);
    expect(textsOf(asked(variables("hello"), "terse", {}))).toEqual(["Be terse.", "In short: hello"]);
  });

  it("renders against what the replay's candidate can do, not what the first one could", () => {
    expect(textsOf(asked(variables("x"), "default", { reasoning: true }))[0]).toBe("Think.");
    expect(textsOf(asked(variables("x"), "default", { reasoning: false }))[0]).toBe("Answer.");
  });

  it("fails where the variables no longer fit the route's input", () => {
    expect(asked(variables(7), "default", {})).toMatchObject({ class: "bad_request" });
  });
});

describe("the replay of messages", () => {
  const request = { messages: [{ role: "user", content: "as written" }], temperature: 0.9, user: "u" };

  it("sends them as the caller wrote them, whatever the arm's template", () => {
    const payload: ReplayPayload = { kind: "messages", request };
    for (const variant of ["default", "terse"]) {
      expect(textsOf(asked(payload, variant, {}))).toEqual(["as written"]);
      expect(asked(payload, variant, {})).toMatchObject({ temperature: 0.9, stream: false });
    }
  });

  it("fails where they are no chat request", () => {
    expect(asked({ kind: "messages", request: { messages: "?" } }, "default", {})).toMatchObject({
      class: "bad_request",
    });
  });
});

describe("a replay call", () => {
  it("is booked as a replay of its bake-off and nothing else", () => {
    const { context, budget, stream } = callOf(variables("x"), "terse");
    expect(context).toMatchObject({ lane: "replay", arm: "terse", tags: { replay: "bo_1" } });
    // The route's live limits are not touched: a replay draws on its own envelope.
    expect(budget).toEqual({ claims: [] });
    expect(stream).toBe(false);
  });

  it("of the reference is booked as such: its spend is no arm's", () => {
    const [candidate] = route.candidates;
    if (!candidate) throw new Error("the route has no candidate");
    const call = replayCall({ payload: variables("x") }, referenceArm(route, candidate), {
      id: "bo_1",
      org: "o",
      claims: [],
    });
    expect(call.context.lane).toBe("reference");
  });

  it("may ask a trial candidate, which never serves live, and only candidates of its arm", () => {
    const { policy } = callOf(variables("x"), "terse");
    expect(policy.allowTrial).toBe(true);
    expect(policy.candidates.map(({ key, params }) => [key, params.max_tokens])).toEqual([["sim/atlas-small", 50]]);
  });
});
