/** What becomes of every request field, by really encoding it; the page of the docs is printed from what is found. */
import { describe, expect, it } from "vitest";
import { type ClientDialect, encodedFor } from "../../support/wire/encoded-request.ts";
import { FIELD_SAMPLES, type FieldSample } from "../../support/wire/wire-field-samples.ts";

/** A provider of one's own in each dialect, so that no built-in row's rules stand in the table. */
const TARGETS = {
  "OpenAI chat": "chat/some-model",
  Responses: "responses/some-model",
  Messages: "messages/some-model",
  Gemini: "google/some-model",
} as const;

const CLIENT_NAMES: Readonly<Record<ClientDialect, string>> = {
  "openai-chat": "`POST /v1/chat/completions`",
  "openai-responses": "`POST /v1/responses`",
  "anthropic-messages": "`POST /v1/messages`",
};

type Outcome = "passed" | "translated" | "named" | "refused" | "lost";

/** `lost`: a field that changed nothing of the upstream's body and is named nowhere. */
function outcome(client: ClientDialect, base: object, { over, body }: FieldSample, candidate: string): Outcome {
  const plain = { ...base, ...over };
  const without = encodedFor(client, plain, candidate);
  const asked = encodedFor(client, { ...plain, ...body }, candidate);
  if (!without.ok) throw new Error(`the request without the field is refused: ${without.message}`);
  if (!asked.ok) return "refused";
  const before = new Set(without.fields);
  if (asked.fields.some((field) => !before.has(field))) return "named";
  if (JSON.stringify([asked.path, asked.body]) === JSON.stringify([without.path, without.body])) return "lost";
  const same = Object.entries(body).every(([key, value]) => JSON.stringify(asked.body[key]) === JSON.stringify(value));
  return same ? "passed" : "translated";
}

const rows = Object.entries(FIELD_SAMPLES).flatMap(([client, { base, fields }]) =>
  fields.map((sample) => {
    const outcomes = Object.values(TARGETS).map((candidate) =>
      outcome(client as ClientDialect, base, sample, candidate),
    );
    return { client: client as ClientDialect, field: sample.field, outcomes };
  }),
);

describe("every request field at every target", () => {
  it.each(rows)("$client: $field is passed, translated, named or refused, never lost", ({ outcomes }) => {
    expect(outcomes).not.toContain("lost");
  });

  it("is what docs/wire-fields.md says", async () => {
    await expect(page()).toMatchFileSnapshot("../../../docs/wire-fields.md");
  });
});

function page(): string {
  const words: Readonly<Record<Outcome, string>> = {
    passed: "passed",
    translated: "translated",
    named: "**named**",
    refused: "**refused**",
    lost: "lost",
  };
  const tables = Object.entries(CLIENT_NAMES).map(([client, name]) => {
    const lines = rows
      .filter((row) => row.client === client)
      .map(({ field, outcomes }) => `| ${[`\`${field}\``, ...outcomes.map((one) => words[one])].join(" | ")} |`);
    const heads = ["field", ...Object.keys(TARGETS)];
    return [`## ${name}`, "", `| ${heads.join(" | ")} |`, `|${"---|".repeat(heads.length)}`, ...lines, ""].join("\n");
  });
  return `${INTRODUCTION}\n${tables.join("\n")}`;
}

const INTRODUCTION = `# What becomes of each request field

A client speaks one dialect and the candidate that serves it may speak another. This page says, for every field of a
request, what reaches an upstream of each dialect. It is printed from the encoders by \`test/node/wire/wire-fields.test.ts\`
and cannot differ from them; \`npx vitest run --project node test/node/wire/wire-fields.test.ts -u\` prints it again.

- **passed**: the upstream gets the field as the client wrote it.
- **translated**: the upstream gets the same in its own form (for \`response_format: json_object\` see below).
- **named**: left out or changed, and listed in \`x-modelrig-dropped\` and in the record of the call.
- **refused**: 400 with the field as \`param\`, before anything is sent; on a route the next candidate is tried. A field is
  refused where leaving it out would change what the caller gets, or where it refers to state that is not kept here.

The targets are providers of one's own without any declared quirk. Built-in providers and declared ones may leave out more
(\`quirks.omit\`), take more (\`top_k\`, \`cache_breakpoints\`, \`custom_tools\`), and have models whose facts decide how effort,
thinking, sampling and output limits are sent (\`src/provider/*-models.ts\`). JSON mode at an upstream of the Messages dialect is
asked for in words by the engine, and the answer is served only if it is a JSON object; the encoder alone refuses it.
`;
