/** Processor time that one request made to hold the gateway takes from it; its steps are asserted in tests. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { openLocalDatabase } from "../../../src/cli/dev/local-database.ts";
import { compileAll } from "../../../src/config/compile-all.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";
import type { Figure } from "../figures.ts";
import { cpuMs, idle, workerdChildren } from "../processes.ts";
import { startGateway } from "../stage.ts";
import { withFolder } from "../temporary-folder.ts";

/** Most an isolate may be held by one request. */
const GOAL_MS = 250;
const ROUNDS = 5;

interface Hostile {
  readonly what: string;
  readonly schema: object;
  /** What the upstream answers. */
  readonly answer: string;
  /** Added to the request's body. */
  readonly more?: object;
}

const DOUBLING = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [
    `d${index}`,
    index === 59
      ? { type: "array" }
      : { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
  ]),
);

const KINDS: readonly Hostile[] = [
  {
    what: "a pattern that backtracks, 20,000 characters",
    schema: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } },
    answer: JSON.stringify({ a: `${"a".repeat(20_000)}!` }),
  },
  {
    what: "a schema whose branches double 60 times",
    schema: { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs: DOUBLING },
    answer: JSON.stringify({ a: 1 }),
  },
  {
    what: "20,000 objects that must differ",
    schema: { type: "object", properties: { a: { type: "array", uniqueItems: true } } },
    answer: JSON.stringify({ a: Array.from({ length: 20_000 }, (_, x) => ({ x })) }),
  },
  {
    what: "an answer with 200,000 unknown keys",
    schema: { type: "object", properties: {}, additionalProperties: false },
    answer: JSON.stringify(Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 1]))),
  },
  {
    what: "a broken answer of 500 kB",
    schema: { type: "object" },
    answer: `{"a": [${"{x: 'y', ".repeat(50_000)}`,
  },
  {
    what: "a request with 50,001 members",
    schema: { type: "object" },
    answer: "{}",
    more: { metadata: Object.fromEntries(Array.from({ length: 50_001 }, (_, index) => [`member_${index}`, "x"])) },
  },
];

export async function hostile(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    const answers = await startAnswering();
    const database = await openLocalDatabase(fakeIo({ cwd: folder }), join(folder, "bench.db"));
    const before = workerdChildren();
    const gateway = await startGateway(await compiledFor(answers.port), database, join(folder, "objects"));
    const pid = [...workerdChildren()].find((child) => !before.has(child));
    if (pid === undefined) throw new Error("the process of the Worker was not found");
    const send = async ({ answer, more }: Hostile, route: string): Promise<number> => {
      answers.next(answer);
      const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${database.key}` },
        body: JSON.stringify({
          model: route,
          messages: [{ role: "user", content: "go" }],
          ...more,
        }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    try {
      const figures: Figure[] = [];
      // The first call loads what every call needs.
      await send({ what: "", schema: {}, answer: "{}" }, routeOf(0));
      for (const [index, kind] of KINDS.entries()) {
        await idle(pid);
        const start = cpuMs(pid);
        const statuses = new Set<number>();
        for (let round = 0; round < ROUNDS; round += 1) statuses.add(await send(kind, routeOf(index)));
        await idle(pid);
        figures.push({
          what: kind.what,
          value: (cpuMs(pid) - start) / ROUNDS,
          unit: "ms",
          goal: { most: GOAL_MS },
          detail: `processor time of workerd a request, ${ROUNDS} requests; status ${[...statuses].join(", ")}`,
        });
      }
      return figures;
    } finally {
      await gateway.dispose();
      await database.close();
      answers.server.close();
      answers.server.closeAllConnections();
    }
  });
}

const routeOf = (index: number): string => `bench.hostile_${index}`;

async function compiledFor(port: number) {
  const config = {
    file: "modelrig.yaml",
    text: `providers:
  echo:
    dialect: openai
    base_url: http://127.0.0.1:${port}/v1
    api_key_env: BENCH_KEY
    models:
      one: { price: { input_per_million: 1, output_per_million: 1 }, max_output: 1000, capabilities: { native_strict: true } }
`,
  };
  const routes = KINDS.map(({ schema }, index) => ({
    file: `${routeOf(index)}.yaml`,
    text: JSON.stringify({
      route: routeOf(index),
      candidates: [{ provider: "echo", model: "one" }],
      output: { schema },
    }),
  }));
  const result = await compileAll(routes, config, { at: new Date(), readFile: () => undefined });
  if (!result.ok) throw new Error(JSON.stringify(result.error, null, 2));
  return result.value;
}

/** An upstream that says what it was told to. */
async function startAnswering(): Promise<{ server: Server; port: number; next(answer: string): void }> {
  let content = "{}";
  const server = createServer(async (request: IncomingMessage, response) => {
    await text(request);
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        ...{ id: "c1", object: "chat.completion", created: 1, model: "one" },
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    server,
    port: (server.address() as AddressInfo).port,
    next: (answer) => {
      content = answer;
    },
  };
}
