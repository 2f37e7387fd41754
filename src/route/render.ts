/** Renders a route's template and the caller's variables to the messages for a candidate. Used by `/v1/run` only. */
import { err, type Failure, failure, ok, type Result } from "../failure/failure.ts";
import { isRecord } from "../json/record.ts";
import type { ModelCapabilities } from "../provider/provider.ts";
import type { ChatMessage, ChatRequest, JsonSchema, TextPart } from "../wire/chat.ts";
import { type ParsedTemplate, parseTemplate, renderTemplate, type VariableUse } from "./liquid.ts";
import type { Route, Template } from "./route.ts";

/** Name under which a template sees the candidate's capability flags. */
export const CAPS = "caps";

/** Flags a template may test as `caps.<name>`; unknown capabilities read false. */
export const CAPABILITY_NAMES = [
  "native_strict",
  "json_object",
  "vision",
  "tools",
  "grounding",
  "reasoning",
  "trace_visible",
  "zdr",
] as const satisfies readonly (keyof ModelCapabilities)[];

type TemplatePart = keyof Template;
interface CompiledPart {
  readonly template: ParsedTemplate;
  readonly uses: readonly VariableUse[];
}
type Compiled = { readonly [K in TemplatePart]?: CompiledPart | undefined };

/** Parsed templates are kept as long as their bundle, so parsing happens once per isolate. */
const compiled = new WeakMap<Template, Result<Compiled>>();

/**
 * Returns the request for one candidate. `variables` must have passed `checkInput`. Fails with `bad_request` where a
 * template cannot be rendered with these variables.
 */
export function renderRequest(
  template: Template,
  input: JsonSchema | undefined,
  variables: Readonly<Record<string, unknown>>,
  capabilities: ModelCapabilities,
): Result<ChatRequest> {
  const parts = compiledTemplate(template);
  if (!parts.ok) return parts;
  const scope = {
    ...absentOptionals(input),
    ...variables,
    [CAPS]: Object.fromEntries(CAPABILITY_NAMES.map((name) => [name, capabilities[name] === true])),
  };
  const texts: { [K in TemplatePart]?: string } = {};
  for (const part of ["system", "cached_context", "user"] as const) {
    const source = parts.value[part];
    if (!source) continue;
    const rendered = renderTemplate(source.template, scope);
    if (!rendered.ok) return err(templateFailure(`template.${part}: ${rendered.message}`));
    texts[part] = rendered.text;
  }
  return ok({ messages: messagesOf(texts), stream: false, includeUsage: false });
}

/**
 * Returns the variables that a template of the route renders, for the route as declared or any variant, with the
 * defaults of omitted ones. Returns all of them where it has no template.
 */
export function renderedVariables(
  { input, template, variants }: Pick<Route, "input" | "template" | "variants">,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const templates = [template, ...variants.map((variant) => variant.template)].filter((one) => one !== undefined);
  const scope = { ...absentOptionals(input), ...variables };
  if (templates.length === 0) return scope;
  const names = new Set(templates.flatMap(usedNames));
  return Object.fromEntries(Object.entries(scope).filter(([name]) => names.has(name)));
}

function usedNames(template: Template): string[] {
  const parts = compiledTemplate(template);
  if (!parts.ok) return [];
  return Object.values(parts.value).flatMap((part) => part?.uses.flatMap(({ segments }) => segments.slice(0, 1)) ?? []);
}

function messagesOf(texts: { readonly [K in TemplatePart]?: string }): ChatMessage[] {
  const system: TextPart[] = [];
  if (texts.system) system.push({ type: "text", text: texts.system });
  if (texts.cached_context) system.push({ type: "text", text: texts.cached_context, cache: { ttl: "5m" } });
  const messages: ChatMessage[] = system.length > 0 ? [{ role: "system", content: system }] : [];
  messages.push({ role: "user", content: [{ type: "text", text: texts.user ?? "" }] });
  return messages;
}

function compiledTemplate(template: Template): Result<Compiled> {
  let known = compiled.get(template);
  if (!known) {
    known = compileParts(template);
    compiled.set(template, known);
  }
  return known;
}

function compileParts(template: Template): Result<Compiled> {
  const parts: { [K in TemplatePart]?: CompiledPart } = {};
  for (const part of ["system", "cached_context", "user"] as const) {
    const text = template[part];
    if (text === undefined) continue;
    const parsed = parseTemplate(text);
    if (!parsed.ok) return err(templateFailure(`template.${part}: ${parsed.message}`));
    parts[part] = parsed;
  }
  return ok(parts);
}

/** Declared variables that the caller omitted: their schema's default, else null, which renders as nothing. */
function absentOptionals(input: JsonSchema | undefined): Record<string, unknown> {
  const properties = isRecord(input) ? input["properties"] : undefined;
  if (!isRecord(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isRecord(schema) ? (schema["default"] ?? null) : null]),
  );
}

function templateFailure(message: string): Failure {
  return failure("bad_request", message, { param: "input" });
}
