/**
 * Generates the answer of a simulated model. It depends on model, request content and seed; failures also on the
 * attempt.
 */
import { isRecord, recordAt, stringAt } from "../../json/record.ts";
import { draw } from "./draw.ts";
import { cutAtWord, sentences } from "./facts.ts";
import { generate } from "./generate.ts";
import type { SimModel } from "./models.ts";
import type { SimRequest } from "./request.ts";

export interface SimAnswer {
  readonly text: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: "stop" | "length" | "tool_calls";
}

/** Estimates tokens by the documented rule of thumb: four characters per token. */
export function simulatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

export function simulatedAnswer(model: SimModel, request: SimRequest, attempt: number, choice: number): SimAnswer {
  const seed = [model.id, request.userText, request.seed, choice].join("\u0001");
  const toolCalls = toolCallsOf(model, request, seed);
  if (toolCalls.length > 0) return { text: "", toolCalls, finish: "tool_calls" };
  return limited(textOf(model, request, attempt, seed), model, request);
}

function textOf(model: SimModel, request: SimRequest, attempt: number, seed: string): string {
  const { userText: text } = request;
  if (request.schema === undefined) {
    const prose = `Simulated answer: ${cutAtWord(sentences(request.lastText).slice(0, 2).join(" ") || "nothing to say", 240)}`;
    return request.json ? JSON.stringify({ answer: prose }) : prose;
  }
  const value = generate(request.schema, { text, seed, accuracy: model.accuracy });
  const whole = JSON.stringify(value);
  if (request.enforced && model.capabilities.native_strict === true) return whole;
  return isMending(request)
    ? mended(model, value, whole, seed)
    : perhapsBroken(model, value, whole, seed, text, attempt);
}

/** A paid repair shows the model its broken answer; the words are the engine's own. */
function isMending(request: SimRequest): boolean {
  return request.userText.startsWith("This answer does not conform");
}

function mended(model: SimModel, value: unknown, whole: string, seed: string): string {
  return draw(seed, "mending") < model.mending ? whole : JSON.stringify(withoutSomething(value, seed));
}

function perhapsBroken(
  model: SimModel,
  value: unknown,
  whole: string,
  seed: string,
  text: string,
  attempt: number,
): string {
  if (draw(model.id, text, "competence") >= model.competence) return JSON.stringify(withoutSomething(value, seed));
  if (draw(seed, attempt, "noise") >= model.noise) return whole;
  switch (Math.floor(draw(seed, attempt, "kind") * 4)) {
    case 0:
      return `Here is the JSON you asked for:\n\`\`\`json\n${whole}\n\`\`\`\nLet me know if you need more.`;
    case 1:
      return whole.replace(/\}$/, ",}");
    case 2:
      return whole.slice(0, Math.ceil(whole.length * 0.7));
    default:
      return JSON.stringify(withoutSomething(value, seed));
  }
}

/** Removes a member, or makes a value invalid: well-formed JSON of the wrong shape. */
function withoutSomething(value: unknown, seed: string): unknown {
  if (!isRecord(value)) return { value };
  const names = Object.keys(value);
  const lost = names[Math.floor(draw(seed, "lost") * names.length)];
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== lost));
}

/** Calls tools when required, or when the user's words ask for it; one call unless all are required. */
function toolCallsOf(model: SimModel, request: SimRequest, seed: string): SimAnswer["toolCalls"] {
  const { tools, toolChoice, lastRole, lastText } = request;
  if (tools.length === 0 || lastRole !== "user" || toolChoice === "none") return [];
  const forced = stringAt(recordAt(toolChoice, "function"), "name");
  const asked = toolChoice === "required" || /\b(use|call)\b.{0,20}\btools?\b/i.test(lastText);
  if (forced === undefined && !asked) return [];
  const chosen = forced === undefined ? tools : tools.filter(({ name }) => name === forced);
  return chosen
    .slice(0, toolChoice === "required" && request.parallel ? undefined : 1)
    .map(({ name, parameters }, index) => ({
      id: `call_${Math.floor(draw(seed, name, index) * 1e9).toString(36)}`,
      name,
      arguments: JSON.stringify(
        generate(parameters ?? { type: "object" }, { text: lastText, seed, accuracy: model.accuracy }),
      ),
    }));
}

function limited(text: string, model: SimModel, request: SimRequest): SimAnswer {
  const stops = request.stop.map((word) => text.indexOf(word)).filter((at) => at !== -1);
  const stopped = stops.length > 0 ? text.slice(0, Math.min(...stops)) : text;
  const most = Math.min(request.maxTokens ?? model.maxOutput, model.maxOutput) * 4;
  const cut = stopped.length > most;
  return { text: cut ? stopped.slice(0, most) : stopped, toolCalls: [], finish: cut ? "length" : "stop" };
}
