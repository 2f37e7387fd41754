/**
 * What a probe asks. Each task is a short note about an invented event and a schema to report it by; the schemas cover
 * what routes declare (nesting, lists, enums, nullable members, ranges, patterns), the notes differ, so that no two
 * probes of a run are the same request.
 */
import type { JsonSchema } from "../wire/chat.ts";

/** Names the set below; figures measured with another set are not comparable. Change it with the tasks. */
export const PROBE_METHOD = "probe-v1";

interface ProbeTask {
  readonly schema: JsonSchema;
  readonly prompt: string;
}

export function probeTask(index: number): ProbeTask {
  const schema = SCHEMAS[index % SCHEMAS.length] ?? {};
  const place = PLACES[index % PLACES.length];
  const person = PEOPLE[Math.floor(index / PLACES.length) % PEOPLE.length];
  const amount = 17 + ((index * 37) % 900);
  const prompt = [
    `Note ${index + 1}. On 2026-03-${String(1 + (index % 28)).padStart(2, "0")} ${person} wrote from ${place}:`,
    `"Order AB-${String(1000 + index)} arrived with ${1 + (index % 4)} of its parts missing. I paid ${amount}.50 euros`,
    "for express delivery, it took six days, and nobody has answered my two mails. I would like the parts, or my money.",
    `You can reach me under ${person?.split(" ")[0]?.toLowerCase()}@example.com."`,
    "Report this note. Where it says nothing about a member, use null if the schema allows it, else your best reading.",
  ].join("\n");
  return { schema, prompt };
}

const PLACES = ["Lisbon", "Tromsø", "Kraków", "Québec", "Nairobi", "Osaka", "Cusco"] as const;
const PEOPLE = ["Ada Ferreira", "Jürgen Weiß", "Mei Tanaka", "Amina Yusuf", "Paweł Nowak"] as const;

function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

const text: JsonSchema = { type: "string" };
const nullableText: JsonSchema = { anyOf: [{ type: "string" }, { type: "null" }] };

const SCHEMAS: readonly JsonSchema[] = [
  object({ name: text, email: text, city: text }),
  object({
    sentiment: { type: "string", enum: ["positive", "neutral", "negative"] },
    urgency: { type: "integer", minimum: 1, maximum: 5 },
  }),
  object({ order: { type: "string", pattern: "^[A-Z]{2}-[0-9]{4}$" }, amount: { type: "number", minimum: 0 } }),
  object({
    customer: object({ name: text, contact: object({ email: text, phone: nullableText }) }),
    wants_refund: { type: "boolean" },
  }),
  object({ complaints: { type: "array", minItems: 1, items: object({ topic: text, quote: text }) } }),
  object({ date: { type: "string", format: "date" }, company: nullableText, days_waited: { type: "integer" } }),
  object({
    actions: {
      type: "array",
      maxItems: 5,
      items: object({
        kind: { type: "string", enum: ["refund", "resend", "reply", "escalate"] },
        reason: text,
        before: nullableText,
      }),
    },
  }),
  object({ title: text, summary: text, tags: { type: "array", items: text }, language: { type: "string" } }),
];
