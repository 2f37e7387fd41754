import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OutputRule } from "../../../src/call/call.ts";
import type { ModelCapabilities } from "../../../src/provider/provider.ts";
import type { Rung } from "../../../src/route/route.ts";
import { readAll, testEngine, textFrom } from "../../support/engine/engine.ts";
import { type FaultyUpstream, startFaultyUpstream } from "../../support/upstreams/faulty-upstream.ts";

let upstream: FaultyUpstream;
let scenarios = 0;
beforeAll(async () => {
  upstream = await startFaultyUpstream();
});
afterAll(() => upstream.close());

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, people: { type: "integer" } },
  required: ["city", "people"],
  additionalProperties: false,
};
const GOOD = '{"city":"Bern","people":134000}';
const ALL: readonly Rung[] = ["native_strict", "json_object", "coached", "syntax_repair", "model_repair"];

const say = (text: string) => `say:${encodeURIComponent(text)}`;

function setUp(kinds: readonly string[], capabilities: ModelCapabilities = {}) {
  const scenario = `${kinds.join(",")}@j${scenarios++}`;
  const engine = testEngine([
    { name: "only", baseUrl: `${upstream.url}/${scenario}/v1`, capabilities, schemaSubset: "openai" },
  ]);
  const bodies = () => upstream.requests(scenario).map(({ body }) => body as Record<string, unknown>);
  const rule = (ladder: readonly Rung[] = ALL): OutputRule => ({ schema: SCHEMA, name: "place", ladder });
  return { engine, bodies, rule };
}

describe("the JSON ladder", () => {
  it("asks on the first rung the model can take", async () => {
    const strict = setUp([say(GOOD)], { native_strict: true });
    const result = await strict.engine.call({ policy: { output: strict.rule() } });
    expect(result).toMatchObject({
      type: "answer",
      output: { city: "Bern", people: 134000 },
      inference: { rung: "native_strict", conformant: true },
    });

    const object = setUp([say(GOOD)], { json_object: true });
    expect(await object.engine.call({ policy: { output: object.rule() } })).toMatchObject({
      inference: { rung: "json_object" },
    });

    const coached = setUp([say(GOOD)]);
    expect(await coached.engine.call({ policy: { output: coached.rule() } })).toMatchObject({
      inference: { rung: "coached" },
    });
  });

  it("repairs syntax for free and says so", async () => {
    const { engine, rule } = setUp([say(`Here you are:\n\`\`\`json\n{"city": "Bern", "people": 134000,}\n\`\`\``)]);
    const result = await engine.call({ policy: { output: rule() } });
    expect(result).toMatchObject({
      type: "answer",
      output: { city: "Bern", people: 134000 },
      inference: { rung: "syntax_repair", conformant: true },
    });
    expect(JSON.parse(await textFrom(result))).toEqual({ city: "Bern", people: 134000 });
    expect(engine.recorded[0]?.attempts).toHaveLength(1);
  });

  it("pays for a repair where the values are wrong, once, and books it", async () => {
    const { engine, rule } = setUp([say('{"city":"Bern"}'), say(GOOD)]);
    const result = await engine.call({ policy: { output: rule() } });
    expect(result).toMatchObject({ type: "answer", output: { people: 134000 }, inference: { rung: "model_repair" } });
    const attempts = engine.recorded[0]?.attempts ?? [];
    expect(attempts.map(({ rung, failure }) => [rung, failure?.reason])).toEqual([
      ["coached", "schema_violation"],
      ["model_repair", undefined],
    ]);
    expect(engine.recorded[0]?.cost).toBe(attempts.reduce((sum, attempt) => sum + (attempt.cost ?? Number.NaN), 0));
  });

  it("does not repair where the ladder does not list it", async () => {
    const { engine, rule } = setUp([say(`\`\`\`json\n${GOOD}\n\`\`\``)]);
    const result = await engine.call({ policy: { output: rule(["coached"]) } });
    expect(result).toMatchObject({ type: "failure", failure: { class: "content_invalid", reason: "unparseable" } });
    expect(engine.recorded[0]?.attempts).toHaveLength(2);
  });

  it("never takes a truncated answer for a conformant one", async () => {
    const { engine, rule } = setUp(["length"]);
    expect(await engine.call({ policy: { output: rule(["coached", "syntax_repair"]) } })).toMatchObject({
      type: "failure",
      failure: { class: "content_invalid" },
    });
    const cut = setUp([say('{"city":"Bern","people":1340')]);
    const result = await cut.engine.call({ policy: { output: cut.rule(["coached", "syntax_repair"]) } });
    expect(result).toMatchObject({ type: "failure", failure: { class: "content_invalid", reason: "truncated" } });
  });

  it("holds no text of the answer in its failure or record", async () => {
    const { engine, rule } = setUp([say('{"city":"CANARY-7","people":"CANARY-8"}')]);
    await engine.call({ policy: { output: rule(["coached"]) } });
    expect(JSON.stringify(engine.recorded)).not.toContain("CANARY");
  });

  it("ends a live stream that breaks the schema in an error", async () => {
    const { engine, rule } = setUp([say('{"city":"Bern"}')]);
    const result = await engine.call({ stream: true, policy: { output: rule() } });
    if (result.type !== "stream") throw new Error(result.type);
    const events = (await readAll(result.frames)).flatMap((frame) => frame.events);
    expect(events.at(-1)).toMatchObject({ type: "error", failure: { class: "content_invalid" } });
    expect(events.some((event) => event.type === "finish")).toBe(false);
    expect(await result.done).toMatchObject({ conformant: false, failure: { class: "content_invalid" } });
  });

  it("streams a validated answer only once it conforms", async () => {
    const { engine, rule } = setUp([say('{"city":"Bern"}'), say(GOOD)]);
    const result = await engine.call({ stream: true, policy: { output: rule(["coached"]), stream: "validated" } });
    expect(JSON.parse(await textFrom(result))).toEqual({ city: "Bern", people: 134000 });
  });

  it("takes back the nulls that a strict mode writes for absent properties, streamed or not", async () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, note: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    const output = { schema, name: "place", ladder: ["native_strict" as const] };
    const given = say('{"city":"Bern","note":null}');
    const whole = setUp([given], { native_strict: true });
    const answer = await whole.engine.call({ policy: { output } });
    expect(answer).toMatchObject({
      type: "answer",
      output: { city: "Bern" },
      inference: { rung: "native_strict", conformant: true },
    });
    expect(JSON.parse(await textFrom(answer))).toEqual({ city: "Bern" });
    const streamed = setUp([given], { native_strict: true });
    expect(JSON.parse(await textFrom(await streamed.engine.call({ stream: true, policy: { output } })))).toEqual({
      city: "Bern",
    });
  });

  it("refuses a raw call whose schema nobody can enforce", async () => {
    const { engine, rule } = setUp([say(GOOD)]);
    const result = await engine.call({ policy: { output: rule(["native_strict"]) }, lane: "raw" });
    expect(result).toMatchObject({ type: "failure", failure: { class: "invariant_violation" } });
  });
});
