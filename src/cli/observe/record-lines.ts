/** The lines that record a call. */
import type { CallSite } from "./call-sites.ts";
import type { Plan } from "./plan.ts";

/** What has to happen before the call. */
export function setupLines({ site, prompt, style, started, seen }: Plan): readonly string[] {
  const { semicolon } = style;
  const named = prompt.named.map(({ name, node }) => {
    const text = site.file.text.slice(node.start ?? 0, node.end ?? 0);
    return `const ${name} = ${text}${semicolon}`;
  });
  const collector = needsCollector(site) ? [`const ${seen} = ${readerCall({ site, style })}${semicolon}`] : [];
  return [...named, ...collector, `const ${started} = Date.now()${semicolon}`];
}

export function needsCollector({ client, delivery }: CallSite): boolean {
  return client === "LangChain" || delivery === "events";
}

export function recordLines(plan: Plan, answer: string): readonly string[] {
  const { site, stepKey, prompt, style, started, seen } = plan;
  const { quote, semicolon, indent } = style;
  const streamed = site.delivery === "promises";
  const read = needsCollector(site)
    ? `${seen}.answer(${site.client === "LangChain" && site.delivery === "whole" ? answer : ""})`
    : readerCall(plan, answer);
  const lines = [
    ...(prompt.text === undefined
      ? [`// prompt: not kept, since ${prompt.why ?? "it is not written here"}.`]
      : [`prompt: ${prompt.text},`]),
    ...(site.servedBy === undefined ? UNKNOWN_PROVIDER : []),
    `...${streamed ? `(await ${read})` : read},`,
    `latencyMs: Date.now() - ${started},`,
  ];
  const head = streamed
    ? `await recordStreamed(${quote(stepKey)}, async () => ({`
    : `recordStep(${quote(stepKey)}, () => ({`;
  return [head, ...lines.map((line) => indent + line), `}))${semicolon}`];
}

const UNKNOWN_PROVIDER = [
  '// Which provider serves this cannot be read from the code. Name it instead of "unknown" (openai, groq, …):',
  "// a call of an unknown provider has no price.",
];

/** Readers whose answer does not name its model. */
const NAMELESS: ReadonlySet<string> = new Set(["fromEmbedded", "collectRunnable", "fromRunnable"]);

function readerCall({ site, style: { quote } }: Pick<Plan, "site" | "style">, answer?: string): string {
  const model = NAMELESS.has(site.reader) && site.model !== undefined ? [quote(site.model)] : [];
  const name = site.client === "LangChain" ? "watchModels" : site.reader;
  const provider = quote(site.servedBy ?? "unknown");
  return `${name}(${[...(answer === undefined ? [] : [answer]), provider, ...model].join(", ")})`;
}
