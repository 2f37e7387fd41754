import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileSchema } from "../../../src/json/schema/validate.ts";
import { isSimulated, SIM_BASE_URL } from "../../../src/provider/sim/models.ts";
import { createSimulator, type SimFetch } from "../../../src/provider/sim/simulator.ts";

const TICKET = "My parcel never arrived and I was charged twice. Please call me back. Urgency: high";
const SCHEMA = {
  type: "object",
  properties: {
    summary: { type: "string", maxLength: 60 },
    category: { enum: ["billing", "shipping"] },
    urgency: { type: "string", enum: ["low", "high"] },
    score: { type: "integer", minimum: 1, maximum: 5 },
    code: { type: "string", pattern: "^[A-Z]{2}-\\d{3}$" },
    parts: { type: "array", minItems: 2, items: { $ref: "#/$defs/part" } },
  },
  required: ["summary", "category", "urgency", "score", "code", "parts"],
  additionalProperties: false,
  $defs: { part: { type: "object", properties: { name: { type: ["string", "null"] } }, required: ["name"] } },
};
const shape = z.strictObject({
  summary: z.string().max(60),
  category: z.enum(["billing", "shipping"]),
  urgency: z.enum(["low", "high"]),
  score: z.int().min(1).max(5),
  code: z.string().regex(/^[A-Z]{2}-\d{3}$/),
  parts: z.array(z.strictObject({ name: z.string().nullable() })).min(2),
});

const completion = z.object({
  simulated: z.literal(true),
  model: z.string(),
  system_fingerprint: z.literal("sim"),
  choices: z.array(
    z.object({
      finish_reason: z.string(),
      message: z.object({
        content: z.string().nullable(),
        tool_calls: z
          .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
          .optional(),
      }),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int().min(1), completion_tokens: z.int().min(1), total_tokens: z.int() }),
});

const atOnce = { sleep: async () => undefined };

async function call(
  body: object,
  sim: SimFetch = createSimulator(),
  headers: Record<string, string> = {},
): Promise<Response> {
  const request = new Request(`${SIM_BASE_URL}/chat/completions`, {
    method: "POST",
    body: JSON.stringify(body),
    headers,
  });
  return sim(request, atOnce, { latency: 0 });
}

async function answer(body: object, sim?: SimFetch): Promise<z.output<typeof completion>> {
  return completion.parse(await (await call(body, sim)).json());
}

const user = (content: string) => [{ role: "user", content }];
const strict = { type: "json_schema", json_schema: { name: "x", schema: SCHEMA, strict: true } };
const contentOf = (body: z.output<typeof completion>): string => body.choices[0]?.message.content ?? "";

/** Answers of a model asked in JSON mode with the schema coached, over many different tickets. */
async function coached(model: string, count: number, sim = createSimulator()): Promise<string[]> {
  const texts: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const system = { role: "system", content: `Answer JSON.\n${JSON.stringify(SCHEMA)}` };
    const messages = [system, ...user(`${TICKET} Ticket ${index}`)];
    texts.push(contentOf(await answer({ model, messages, response_format: { type: "json_object" } }, sim)));
  }
  return texts;
}

function conforms(text: string): boolean {
  try {
    return shape.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

describe("a simulated answer", () => {
  it("is labelled everywhere and counts tokens by length", async () => {
    const response = await call({ model: "atlas-small", messages: user("Tell me about otters.") });
    expect(response.headers.get("x-simulated")).toBe("true");
    const body = completion.parse(await response.json());
    expect(body.model).toBe("atlas-small");
    expect(body.usage.completion_tokens).toBe(Math.ceil(contentOf(body).length / 4));
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens);
  });

  it("is the same for the same request, and another for another", async () => {
    const body = { model: "atlas-small", messages: user(TICKET), response_format: strict };
    const [once, again, other] = [
      await answer(body),
      await answer(body),
      await answer({ ...body, messages: user("Where is my refund? I paid twice.") }),
    ];
    expect(again).toEqual(once);
    expect(contentOf(other)).not.toBe(contentOf(once));
  });

  it("conforms to an enforced schema and reads facts off the input", async () => {
    const text = contentOf(await answer({ model: "atlas-large", messages: user(TICKET), response_format: strict }));
    expect(shape.parse(JSON.parse(text)).urgency).toBe("high");
  });

  it("obeys stop words and the token limit", async () => {
    const cut = await answer({ model: "atlas-small", messages: user(TICKET), max_tokens: 3 });
    expect(cut.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "Simulated an" } });
    const stopped = await answer({ model: "atlas-small", messages: user(TICKET), stop: ["answer"] });
    expect(stopped.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Simulated " } });
  });
});

describe("an enforced schema", () => {
  const schemas: readonly (readonly [string, object])[] = [
    [
      "bounds",
      {
        type: "object",
        properties: {
          a: { type: "number", exclusiveMinimum: 0, maximum: 0.5 },
          b: { type: "integer", multipleOf: 7, minimum: 10 },
        },
        required: ["a", "b"],
      },
    ],
    [
      "lengths",
      { type: "object", properties: { a: { type: "string", minLength: 40, maxLength: 45 } }, required: ["a"] },
    ],
    [
      "formats",
      {
        type: "object",
        properties: {
          a: { type: "string", format: "date" },
          b: { type: "string", format: "email" },
          c: { type: "string", format: "uuid" },
        },
        required: ["a", "b", "c"],
      },
    ],
    [
      "alternatives",
      { anyOf: [{ type: "null" }, { type: "object", properties: { a: { const: 3 } }, required: ["a"] }] },
    ],
    [
      "parts",
      {
        allOf: [
          { type: "object", properties: { a: { type: "boolean" } }, required: ["a"] },
          { required: ["b"], properties: { b: { enum: [1, "x"] } } },
        ],
      },
    ],
    [
      "recursion",
      {
        $ref: "#/$defs/node",
        $defs: {
          node: {
            type: "object",
            properties: { child: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
            required: ["child"],
          },
        },
      },
    ],
    ["tuples", { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], minItems: 2, maxItems: 3 }],
    ["patterns", { type: "string", pattern: "^(INV|CR)-[0-9]{4}(/[a-z]+)?$" }],
  ];

  it.each(schemas)("is met: %s", async (_kind, schema) => {
    const validator = compileSchema(schema);
    if (!validator.ok) throw new Error(JSON.stringify(validator.error));
    for (let index = 0; index < 20; index += 1) {
      const format = { type: "json_schema", json_schema: { name: "x", schema } };
      const text = contentOf(
        await answer({ model: "atlas-small", messages: user(`${TICKET} ${index}`), response_format: format }),
      );
      expect(validator.value(JSON.parse(text)), text).toEqual({ valid: true });
    }
  });
});

describe("simulated models differ", () => {
  it("atlas models always conform, nimbus-mini fails on about a fifth of the inputs and more", async () => {
    const share = (texts: string[]) => texts.filter(conforms).length / texts.length;
    expect(share(await coached("atlas-small", 60))).toBe(1);
    const nimbus = share(await coached("nimbus-mini", 300));
    expect(nimbus).toBeGreaterThan(0.6);
    expect(nimbus).toBeLessThan(0.85);
  });

  it("an input beyond a model's competence stays beyond it; noise passes with the next attempt", async () => {
    const sim = createSimulator();
    const rounds: boolean[][] = [];
    for (let round = 0; round < 5; round += 1) rounds.push((await coached("nimbus-mini", 100, sim)).map(conforms));
    const everFailed = rounds[0]?.map((_, index) => rounds.filter((round) => round[index] === false).length) ?? [];
    expect(everFailed.filter((failures) => failures === 5).length).toBeGreaterThan(10);
    expect(everFailed.filter((failures) => failures > 0 && failures < 5).length).toBeGreaterThan(10);
  });

  it("nimbus-mini refuses to be asked for an enforced schema", async () => {
    const response = await call({ model: "nimbus-mini", messages: user(TICKET), response_format: strict });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "unsupported_value", param: "response_format" } });
  });

  it("flaky sheds and errs at its rates, and a repeated request can succeed", async () => {
    const statuses = new Map<number, number>();
    for (let index = 0; index < 400; index += 1) {
      const { status } = await call({ model: "flaky", messages: user(`question ${index}`) });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(statuses.get(429)).toBeGreaterThan(60);
    expect(statuses.get(500)).toBeGreaterThan(25);
    const sim = createSimulator();
    const repeated = await Promise.all(
      Array.from({ length: 20 }, () => call({ model: "flaky", messages: user("same") }, sim)),
    );
    expect(new Set(repeated.map(({ status }) => status)).size).toBeGreaterThan(1);
  });

  it("an attempt named by the caller is decided by its number alone", async () => {
    const status = async (attempt: number) =>
      (await call({ model: "flaky", messages: user("same") }, createSimulator(), { "x-sim-attempt": String(attempt) }))
        .status;
    const first = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(status));
    expect(await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(status))).toEqual(first);
  });
});

describe("simulated tools", () => {
  const tool = (name: string) => ({
    type: "function",
    function: { name, parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
  });
  const tools = [tool("weather"), tool("time")];
  const called = (body: z.output<typeof completion>) =>
    body.choices[0]?.message.tool_calls?.map((it) => it.function.name);

  it("are called in parallel where required", async () => {
    const body = await answer({ model: "atlas-small", messages: user("Paris"), tools, tool_choice: "required" });
    expect(called(body)).toEqual(["weather", "time"]);
    expect(body.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
    expect(JSON.parse(body.choices[0]?.message.tool_calls?.[0]?.function.arguments ?? "")).toHaveProperty("city");
  });

  it("are called one at a time where parallel calls are off, and by name", async () => {
    const required = {
      model: "atlas-small",
      messages: user("Paris"),
      tools,
      tool_choice: "required",
      parallel_tool_calls: false,
    };
    expect(called(await answer(required))).toEqual(["weather"]);
    const named = { ...required, tool_choice: { type: "function", function: { name: "time" } } };
    expect(called(await answer(named))).toEqual(["time"]);
  });

  it("are left alone otherwise, and after their result", async () => {
    expect(called(await answer({ model: "atlas-small", messages: user("Hello there."), tools }))).toBeUndefined();
    const messages = [...user("use the tool"), { role: "tool", tool_call_id: "a", content: "It is 21 degrees." }];
    const body = await answer({ model: "atlas-small", messages, tools });
    expect(contentOf(body)).toContain("21 degrees");
  });
});

describe("a simulated stream", () => {
  it("carries the same answer, then usage where asked for, then the end", async () => {
    const body = { model: "atlas-small", messages: user(TICKET), response_format: strict };
    const response = await call({ ...body, stream: true, stream_options: { include_usage: true } });
    const events = (await response.text())
      .trim()
      .split("\n\n")
      .map((event) => event.replace(/^data: /, ""));
    expect(events.at(-1)).toBe("[DONE]");
    const chunk = z.object({
      simulated: z.literal(true),
      choices: z.array(
        z.object({ delta: z.object({ content: z.string().nullish() }), finish_reason: z.string().nullable() }),
      ),
      usage: z.object({ total_tokens: z.int() }).nullable(),
    });
    const chunks = events.slice(0, -1).map((event) => chunk.parse(JSON.parse(event)));
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
    expect(text).toBe(contentOf(await answer(body)));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
  });

  it("stops when its reader goes away", async () => {
    let slept = 0;
    const clock = {
      sleep: async () => {
        slept += 1;
      },
    };
    const request = new Request(`${SIM_BASE_URL}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "slow", messages: user(TICKET.repeat(5)), stream: true }),
    });
    const reader = (await createSimulator()(request, clock)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const after = slept;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(slept).toBe(after);
  });
});

describe("simulated refusals", () => {
  it.each([
    ["an unknown model", { model: "gpt-5", messages: user("x") }, 404, "model_not_found"],
    ["no messages", { model: "slow" }, 400, "invalid_body"],
    [
      "a prompt beyond the window",
      { model: "nimbus-mini", messages: user("word ".repeat(30_000)) },
      400,
      "context_length_exceeded",
    ],
  ])("%s", async (_kind, body, status, code) => {
    const response = await call(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code }, simulated: true });
  });

  it("a body that is no JSON is refused, not thrown", async () => {
    const request = new Request(`${SIM_BASE_URL}/chat/completions`, { method: "POST", body: "{" });
    expect((await createSimulator()(request, atOnce)).status).toBe(400);
  });

  it("an aborted call rejects as fetch does", async () => {
    const stop = new AbortController();
    const clock = { sleep: async () => stop.abort() };
    const body = JSON.stringify({ model: "slow", messages: user("x") });
    const request = new Request(`${SIM_BASE_URL}/chat/completions`, { method: "POST", body, signal: stop.signal });
    await expect(createSimulator()(request, clock)).rejects.toMatchObject({ name: "AbortError" });
  });

  it("only requests to the simulation's own address are the simulation's", () => {
    expect(isSimulated(`${SIM_BASE_URL}/chat/completions`)).toBe(true);
    expect(isSimulated("https://sim.invalid.example/v1/chat/completions")).toBe(false);
  });
});
