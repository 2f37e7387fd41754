import { describe, expect, it } from "vitest";
import { checkInput } from "../../../src/route/input.ts";
import { renderRequest } from "../../../src/route/render.ts";
import type { Template } from "../../../src/route/route.ts";
import { bundle, routeOf } from "../../support/sources/bundles.ts";

const input = {
  type: "object",
  properties: { q: { type: "string" }, tone: { type: "string", default: "kind" }, note: { type: "string" } },
};

function messages(template: Template, variables: Record<string, unknown>, capabilities = {}) {
  const rendered = renderRequest(template, input, variables, capabilities);
  if (!rendered.ok) throw new Error(rendered.error.message);
  return rendered.value.messages;
}

const userText = (template: string, variables: Record<string, unknown>, capabilities = {}): unknown => {
  const [message] = messages({ user: template }, variables, capabilities);
  return message?.content[0]?.type === "text" ? message.content[0].text : undefined;
};

describe("rendering", () => {
  it("puts the cached context behind the system text, with a cache breakpoint, before the user's", () => {
    const template = { system: "be {{ tone }}", cached_context: "the manual", user: "{{ q }}" };
    expect(messages(template, { q: "hi", tone: "short" })).toEqual([
      {
        role: "system",
        content: [
          { type: "text", text: "be short" },
          { type: "text", text: "the manual", cache: { ttl: "5m" } },
        ],
      },
      { role: "user", content: [{ type: "text", text: "hi" }] },
    ]);
  });

  it("escapes nothing", () => {
    expect(userText("{{ q }}", { q: `<a href="x">&'</a> {{ q }} {% raw %}` })).toBe(
      `<a href="x">&'</a> {{ q }} {% raw %}`,
    );
  });

  it("fills an absent optional variable with its default, else with nothing", () => {
    expect(userText("{{ tone }}|{{ note }}|{% if note %}x{% endif %}", { q: "" })).toBe("kind||");
  });

  it("writes values as JSON", () => {
    expect(userText("{{ q | json }}", { q: { a: ['"', 1] } })).toBe('{"a":["\\"",1]}');
  });

  it("shows the candidate's capability flags; an unknown one is false", () => {
    const template = "{% if caps.native_strict %}strict{% else %}loose{% endif %} {{ caps.vision }}";
    expect(userText(template, {}, { native_strict: true })).toBe("strict false");
    expect(userText(template, {}, {})).toBe("loose false");
  });

  it("refuses an unknown member of a variable as the caller's fault", () => {
    const rendered = renderRequest({ user: "{{ q.name }}" }, input, { q: {} }, {});
    expect(rendered).toMatchObject({ ok: false, error: { class: "bad_request", param: "input" } });
  });

  it("reads own members only", () => {
    const rendered = renderRequest({ user: "{{ q.constructor }}" }, input, { q: {} }, {});
    expect(rendered.ok).toBe(false);
  });

  it("stops a template that would fill the memory", () => {
    const template = "{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}";
    const rendered = renderRequest({ user: template }, input, {}, {});
    expect(rendered).toMatchObject({ ok: false, error: { class: "bad_request" } });
  });
});

describe("input variables", () => {
  it("pass where the route declares no input", async () => {
    expect(checkInput(await routeOf(bundle()), { anything: 1 })).toEqual({ ok: true, value: undefined });
  });

  it("fail with the pointer of the variable at fault", async () => {
    const route = await routeOf(
      bundle(
        "input: { type: object, properties: { a: { type: object, properties: { b: { type: integer } } } } }\ntemplate: { user: '{{ a }}' }\n",
      ),
    );
    expect(checkInput(route, { a: { b: 1 } }).ok).toBe(true);
    expect(checkInput(route, { a: { b: "x" } })).toMatchObject({
      ok: false,
      error: { class: "bad_request", param: "/input/a/b" },
    });
  });
});
