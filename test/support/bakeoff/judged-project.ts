import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCaptureStore } from "../../../src/capture/capture-store.ts";
import { main } from "../../../src/cli/main.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { fakeIo } from "../hosts/fake-io.ts";

/** What a judge gives two answers, from 1 to 5. `truth` = whether an answer says what its order asks for. */
export type JudgeRule = (
  first: string,
  second: string,
  help: { readonly truth: (answer: string) => boolean; readonly chance: () => number },
) => readonly [number, number];

/** What an arm answers to order `n`, as JSON. */
export type ArmRule = (n: number) => unknown;

const summaryOf = (n: number): string => `The customer says that order ${n} came ${n % 9} days late and asks for help.`;
export const rightAnswer: ArmRule = (n) => ({ summary: summaryOf(n), days: n % 9, urgent: n % 2 === 0 });
/** Right, in words of its own. */
export const otherWords: ArmRule = (n) => ({
  summary: `Order ${n} was ${n % 9} days behind its date, and its buyer wants something done.`,
  days: n % 9,
  urgent: n % 2 === 0,
});

function isRight(n: number, answer: string): boolean {
  try {
    const { summary, days, urgent } = JSON.parse(answer) as Record<string, unknown>;
    const told = String(summary);
    const whole = told.split(" ").length >= 10 && told.includes(`rder ${n} `);
    return whole && days === n % 9 && urgent === (n % 2 === 0);
  } catch {
    return false;
  }
}

export const HONEST: JudgeRule = (first, second, { truth }) => [truth(first) ? 5 : 2, truth(second) ? 5 : 2];

interface Project {
  readonly folder: string;
  readonly bakeoff: (
    args: readonly string[],
    env?: Record<string, string>,
  ) => Promise<{ readonly exitCode: number; readonly out: string; readonly err: string }>;
  /** Requests by model since the start. */
  readonly asked: Map<string, number>;
  readonly close: () => void;
}

export interface ProjectSetup {
  readonly judge: JudgeRule;
  readonly arms?: { readonly dear?: ArmRule; readonly thrifty?: ArmRule };
  readonly inputs?: number;
  /** In place of the route's own last block. */
  readonly route?: string;
}

const QUALITY_FIRST = `objective: { mode: quality-first, max_regret: 0.1 }
bakeoff: { reference: up/dear-1, judge: { model: up/umpire-3, max_samples: 200 } }
`;

/** A route that a dear model serves and a thrifty one may, on loopback, with captured orders and a judge that follows a rule. */
export async function judgedProject({
  judge,
  arms,
  inputs = 90,
  route = QUALITY_FIRST,
}: ProjectSetup): Promise<Project> {
  const asked = new Map<string, number>();
  const chance = seededRandom(7);
  const answerOf = (
    model: string,
    messages: readonly { readonly role: string; readonly content: unknown }[],
  ): string => {
    const text = messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
    const user = text.at(-1) ?? "";
    if (text[0]?.startsWith("Say each text")) return JSON.stringify({ texts: reworded(model, user) });
    const n = Number(/Order (\d+)/.exec(user)?.[1]);
    if (!text[0]?.startsWith("You compare")) {
      const rule = model === "dear-1" ? (arms?.dear ?? rightAnswer) : (arms?.thrifty ?? otherWords);
      return JSON.stringify(rule(n));
    }
    const part = (name: string): string => new RegExp(`<${name}>\n([^]*?)\n</${name}>`).exec(user)?.[1] ?? "";
    const asks = Number(/Order (\d+)/.exec(part("input"))?.[1]);
    const help = { truth: (answer: string) => isRight(asks, answer), chance };
    const [first, second] = judge(part("first_answer"), part("second_answer"), help);
    return JSON.stringify({ comparison: "as seen", first_score: first, second_score: second });
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { model, messages } = JSON.parse(body) as { model: string; messages: { role: string; content: unknown }[] };
    asked.set(model, (asked.get(model) ?? 0) + 1);
    const message = { role: "assistant", content: answerOf(model, messages) };
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        ...{ id: "c", object: "chat.completion", created: 1, model },
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const folder = projectFolder(server, route, inputs);
  return {
    folder,
    asked,
    async bakeoff(args, env = {}) {
      const io = fakeIo({ cwd: folder, env: { UP_KEY: "sk", ...env } });
      const exitCode = await main(["bakeoff", ...args], io);
      return { exitCode, out: io.out(), err: io.err() };
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The judge's own words begin with "Indeed", another's with "Then". */
function reworded(model: string, user: string): string[] {
  const { texts } = JSON.parse(user) as { texts: string[] };
  return texts.map((text) => `${model === "umpire-3" ? "Indeed" : "Then"}, ${text}`);
}

function projectFolder(server: Server, route: string, inputs: number): string {
  const folder = mkdtempSync(join(tmpdir(), "modelrig-judged-"));
  mkdirSync(join(folder, "routes"));
  mkdirSync(join(folder, ".modelrig"));
  writeFileSync(
    join(folder, "routes/acme.orders.yaml"),
    `route: acme.orders
capture: true
candidates:
  - { provider: up, model: dear-1 }
  - { provider: up, model: thrift-2, trial: true }
  - { provider: up, model: umpire-3, trial: true }
input: { type: object, properties: { text: { type: string } } }
template: { user: "{{ text }}" }
output:
  schema:
    type: object
    properties: { summary: { type: string }, days: { type: integer }, urgent: { type: boolean } }
    required: [summary, days, urgent]
variants:
  - { name: cheap, candidates: [{ provider: up, model: thrift-2 }] }
${route}`,
  );
  const price = (input: number) =>
    `{ price: { input_per_million: ${input}, output_per_million: ${5 * input} }, max_output: 200, context_window: 50000 }`;
  writeFileSync(
    join(folder, "modelrig.yaml"),
    `providers:
  up:
    dialect: openai
    base_url: http://127.0.0.1:${(server.address() as AddressInfo).port}/v1
    api_key_env: UP_KEY
    capabilities: { native_strict: true, json_object: true }
    models:
      dear-1: ${price(2)}
      thrift-2: ${price(0.5)}
      umpire-3: ${price(1)}
`,
  );
  const captures = openCaptureStore(join(folder, ".modelrig/captures.db"));
  for (let n = 0; n < inputs; n += 1)
    captures.add({
      ...{ id: `cap_${n}`, at: n, route: "acme.orders", variant: undefined, inferenceId: undefined, served: undefined },
      payload: { kind: "variables", variables: { text: `Order ${n} has not come, what now?` } },
      ...{ output: "{}", outcome: "answered", tags: {} },
    });
  captures.close();
  return folder;
}
