/** The official OpenAI client, chat and (where the version has it) Responses. Plain JavaScript: one file for all versions. */
import OpenAI from "openai";
import { CITY, equal, fails, isCanceled, runScenarios, WEATHER } from "./scenario.mjs";

const client = new OpenAI({ baseURL: `${process.env.BASE_URL}/v1`, apiKey: process.env.KEY, maxRetries: 0 });
const ask = (content) => [{ role: "user", content }];

const chat = {
  async plain(model) {
    const answer = await client.chat.completions.create({ model: model("text"), messages: ask("hi") });
    equal(answer.choices[0].message.content, "Grüße aus Oslo 🙂");
  },
  async stream(model) {
    let text = "";
    for await (const chunk of await client.chat.completions.create({
      model: model("text"),
      messages: ask("hi"),
      stream: true,
    }))
      text += chunk.choices[0]?.delta?.content ?? "";
    equal(text, "Grüße aus Oslo 🙂");
  },
  async "three steps of tools"(model) {
    const messages = ask("compare");
    const tools = [{ type: "function", function: { name: "weather", parameters: WEATHER } }];
    const places = [];
    for (let step = 0; step < 3; step += 1) {
      const answer = await client.chat.completions.create({ model: model("steps"), messages, tools });
      const { message } = answer.choices[0];
      messages.push(message);
      if (!message.tool_calls?.length) return equal([places, message.content], [["Oslo", "Rome"], "Both are mild."]);
      for (const call of message.tool_calls) {
        places.push(JSON.parse(call.function.arguments).place);
        messages.push({ role: "tool", tool_call_id: call.id, content: "mild" });
      }
    }
    throw new Error("no last answer");
  },
  async structured(model) {
    const format = { type: "json_schema", json_schema: { name: "city", strict: true, schema: CITY } };
    const answer = await client.chat.completions.create({
      model: model("json"),
      messages: ask("Oslo?"),
      response_format: format,
    });
    equal(JSON.parse(answer.choices[0].message.content), { city: "Oslo", population: 717710 });
  },
  async cut(model) {
    const asked = { model: model("cut"), messages: ask("hi") };
    await fails(() => client.chat.completions.create(asked));
    await fails(async () => {
      for await (const _ of await client.chat.completions.create({ ...asked, stream: true }));
    });
  },
  async cancel(model) {
    await isCanceled(async () => {
      const asked = { model: model("stall"), messages: ask("hi"), stream: true };
      for await (const chunk of await client.chat.completions.create(asked))
        if (chunk.choices[0]?.delta?.content) break;
    });
  },
};

const responses = client.responses && {
  async plain(model) {
    equal((await client.responses.create({ model: model("text"), input: "hi" })).output_text, "Grüße aus Oslo 🙂");
  },
  async stream(model) {
    let text = "";
    let last;
    for await (const event of await client.responses.create({ model: model("text"), input: "hi", stream: true })) {
      if (event.type === "response.output_text.delta") text += event.delta;
      last = event.type;
    }
    equal([text, last], ["Grüße aus Oslo 🙂", "response.completed"]);
  },
  async "three steps of tools"(model) {
    const input = ask("compare");
    const tools = [{ type: "function", name: "weather", parameters: WEATHER, strict: false }];
    const places = [];
    for (let step = 0; step < 3; step += 1) {
      const answer = await client.responses.create({ model: model("steps"), input, tools, store: false });
      input.push(...answer.output);
      const calls = answer.output.filter((item) => item.type === "function_call");
      if (calls.length === 0) return equal([places, answer.output_text], [["Oslo", "Rome"], "Both are mild."]);
      for (const call of calls) {
        places.push(JSON.parse(call.arguments).place);
        input.push({ type: "function_call_output", call_id: call.call_id, output: "mild" });
      }
    }
    throw new Error("no last answer");
  },
  async "kept, continued, read and deleted"(model) {
    const first = await client.responses.create({ model: model("text"), input: "my name is Ada" });
    const stream = await client.responses.create({
      ...{ model: model("text"), input: "what is it?", stream: true },
      previous_response_id: first.id,
    });
    let second;
    for await (const event of stream) if (event.type === "response.completed") second = event.response;
    equal((await client.responses.retrieve(second.id)).previous_response_id, first.id);
    const given = [];
    for await (const item of client.responses.inputItems.list(second.id, { order: "asc", limit: 1 }))
      given.push(item.role);
    equal(given, ["user", "assistant", "user"]);
    const remove = client.responses.delete ?? client.responses.del;
    await remove.call(client.responses, first.id);
    const status = await client.responses.retrieve(first.id).then(
      () => 200,
      (error) => error.status,
    );
    equal(status, 404);
  },
  async "three steps of tools by previous_response_id"(model) {
    const tools = [{ type: "function", name: "weather", parameters: WEATHER, strict: false }];
    const places = [];
    let input = "compare";
    let previous;
    for (let step = 0; step < 3; step += 1) {
      const answer = await client.responses.create({
        ...{ model: model("steps"), input, tools },
        ...(previous && { previous_response_id: previous }),
      });
      previous = answer.id;
      const calls = answer.output.filter((item) => item.type === "function_call");
      if (calls.length === 0) return equal([places, answer.output_text], [["Oslo", "Rome"], "Both are mild."]);
      places.push(...calls.map((call) => JSON.parse(call.arguments).place));
      input = calls.map((call) => ({ type: "function_call_output", call_id: call.call_id, output: "mild" }));
    }
    throw new Error("no last answer");
  },
  async structured(model) {
    const text = { format: { type: "json_schema", name: "city", strict: true, schema: CITY } };
    const answer = await client.responses.create({ model: model("json"), input: "Oslo?", text });
    equal(JSON.parse(answer.output_text), { city: "Oslo", population: 717710 });
  },
  async cut(model) {
    const asked = { model: model("cut"), input: "hi" };
    await fails(() => client.responses.create(asked));
    await fails(async () => {
      for await (const event of await client.responses.create({ ...asked, stream: true })) {
        // This client leaves failed responses to its caller.
        if (event.type === "response.failed" && event.response.error) throw new Error(event.response.error.message);
      }
    });
  },
  async cancel(model) {
    await isCanceled(async () => {
      for await (const event of await client.responses.create({ model: model("stall"), input: "hi", stream: true }))
        if (event.type === "response.output_text.delta") break;
    });
  },
};

await runScenarios({ chat, ...(responses && { responses }) });
