import { describe, expect, it } from "vitest";
import { onlyItsModel, unboundedField, withoutUnboundedTools } from "../../../src/wire/fit/beyond-request.ts";
import { decodeRequest } from "../../../src/wire/openai-chat/ingress-request.ts";

const BODY = { model: "a/m", messages: [{ role: "user", content: "x" }], transforms: ["middle-out"] };

function decoded(more: object) {
  const result = decodeRequest({ ...BODY, ...more });
  if (!result.ok) throw new Error(result.error.message);
  return result.value.request;
}

describe("a client's say in which model serves", () => {
  it.each(["models", "route", "preset", "fallbacks"])("is taken out of its body and named: %s", (field) => {
    const { request, dropped } = onlyItsModel(decoded({ [field]: ["other/model"] }));
    expect(request.native?.body).toEqual(BODY);
    expect(dropped.map((one) => one.field)).toEqual([field]);
  });

  it("leaves a request without one as it is", () => {
    const request = decoded({});
    expect(onlyItsModel(request)).toEqual({ request, dropped: [] });
    expect(onlyItsModel(request).request).toBe(request);
  });
});

describe("what bills beyond a request's own tokens", () => {
  it.each([
    [{ previous_response_id: "resp_1" }, "previous_response_id"],
    [{ cachedContent: "cachedContents/1" }, "cachedContent"],
    [{ mcp_servers: [] }, "mcp_servers"],
    [{ tools: [{ type: "web_search_20250305", name: "web_search" }] }, "tools[0]"],
    [
      {
        tools: [
          { name: "own", input_schema: {} },
          { type: "code_execution_20250522", name: "x" },
        ],
      },
      "tools[1]",
    ],
    [{ tools: [{ functionDeclarations: [] }, { googleSearch: {} }] }, "tools[1]"],
    [{ tools: [{ functionDeclarations: [], googleSearch: {} }] }, "tools[0]"],
    [{ tools: [{ type: "namespace", name: "n", tools: [{ type: "mcp" }] }] }, "tools[0]"],
    [{ tools: [{ type: "shell", environment: { type: "container_auto" } }] }, "tools[0]"],
    [{ tools: [{ type: "mcp", server_url: "https://x.example" }] }, "tools[0]"],
  ])("is found in %j", (body, field) => {
    expect(unboundedField(body)).toBe(field);
  });

  it.each([
    {},
    { web_search_options: null },
    { tools: [{ type: "function", function: { name: "own" } }] },
    { tools: [{ type: "custom", name: "own", input_schema: {} }] },
    { tools: [{ name: "own", input_schema: {} }] },
    { tools: [{ functionDeclarations: [{ name: "own" }] }] },
    { tools: [{ type: "bash_20250124", name: "bash" }] },
    { tools: [{ type: "namespace", name: "n", tools: [{ type: "function", name: "f" }] }] },
    { tools: [{ type: "shell" }, { type: "tool_search", execution: "client" }] },
  ])("is not found in %j", (body) => {
    expect(unboundedField(body)).toBeUndefined();
  });
});

describe("tools that the provider runs, in a call under a spend limit", () => {
  const own = { type: "function", name: "f", parameters: {} };
  const search = { type: "web_search" };

  it.each([
    ["Responses", { tools: [own, search], tool_choice: "auto" }, [own]],
    [
      "Messages",
      {
        tools: [
          { name: "f", input_schema: {} },
          { type: "web_search_20250305", name: "s" },
        ],
      },
      [{ name: "f", input_schema: {} }],
    ],
    ["Gemini", { tools: [{ functionDeclarations: [] }, { googleSearch: {} }] }, [{ functionDeclarations: [] }]],
  ])("are left out and named beside tools of the client: %s", (_what, body, tools) => {
    expect(withoutUnboundedTools(body)).toMatchObject({ body: { ...body, tools }, dropped: [{ field: "tools[1]" }] });
  });

  it.each([
    ["nothing else is offered", { tools: [search] }],
    ["a call is demanded", { tools: [own, search], tool_choice: "required" }],
    ["it is demanded by name", { tools: [own, search], tool_choice: { type: "web_search" } }],
    [
      "an Anthropic client demands a call",
      { tools: [{ name: "f", input_schema: {} }, search], tool_choice: { type: "any" } },
    ],
  ])("stay, so that the call is refused, where %s", (_what, body) => {
    expect(withoutUnboundedTools(body)).toEqual({ body, dropped: [] });
    expect(unboundedField(body)).toBeDefined();
  });

  it("are not looked for where all run at the client", () => {
    const body = { tools: [own] };
    expect(withoutUnboundedTools(body).body).toBe(body);
  });
});
