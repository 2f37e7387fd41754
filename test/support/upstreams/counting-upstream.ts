/**
 * An OpenAI-compatible provider on loopback that bills like one: from the moment at which a request has arrived it
 * generates to the end, whatever becomes of the connection, and counts what it may bill. How it answers stands in the
 * URL: `/<stage>.<fault>/v1`, several joined by commas are taken in turn.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How far an answer gets before its fault. */
export const STAGES = ["sent", "headers", "content", "end", "usage"] as const;
/** `reset`: the connection breaks; `hang`: silence, until the client goes. */
export const FAULTS = ["reset", "hang"] as const;
/** Answers that come whole. `refused` and `shed` bill nothing, the others what they generated. */
export const WHOLE = ["ok", "refused", "shed", "page", "gone", "waited", "left", "unusable", "broken"] as const;

export interface CountingUpstream {
  /** `how`: faults or whole answers by name, taken in turn by the requests of one `id`. */
  baseUrl(how: readonly string[], id: string): string;
  /** Nano-dollars that the provider may bill for the requests of `id`. */
  billed(id: string): number;
  /** Requests of `id` that reached the stage at which they hang. */
  hanging(id: string): number;
  close(): Promise<void>;
}

/** Nano-dollars per token, as the test engine's price says. */
const INPUT_NANO = 1_000;
const OUTPUT_NANO = 2_000;

export async function startCountingUpstream(): Promise<CountingUpstream> {
  const bills = new Map<string, number>();
  const turns = new Map<string, number>();
  const hangs = new Map<string, number>();
  const add = (map: Map<string, number>, id: string, amount: number) => map.set(id, (map.get(id) ?? 0) + amount);
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const [, hows = "", id = ""] = (request.url ?? "").split("/");
    const turn = turns.get(id) ?? 0;
    turns.set(id, turn + 1);
    const all = hows.split(",");
    const how = all[Math.min(turn, all.length - 1)] ?? "ok";
    const body = JSON.parse(text) as {
      readonly max_tokens?: number;
      readonly max_completion_tokens?: number;
      readonly stream?: boolean;
    };
    const most = body.max_tokens ?? body.max_completion_tokens ?? 1;
    const usage = { prompt_tokens: Math.ceil(text.length / 4), completion_tokens: most };
    if (how !== "refused" && how !== "shed") {
      add(bills, id, usage.prompt_tokens * INPUT_NANO + usage.completion_tokens * OUTPUT_NANO);
    }
    answer(response, how, usage, body.stream === true, () => add(hangs, id, 1));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: (how, id) => `${url}/${how.join(",")}/${id}/v1`,
    billed: (id) => bills.get(id) ?? 0,
    hanging: (id) => hangs.get(id) ?? 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Counted {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

interface WholeAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const json = (status: number, value: unknown): WholeAnswer => {
  return { status, type: "application/json", body: JSON.stringify(value) };
};
const page = (status: number): WholeAnswer => ({ status, type: "text/html", body: "<html>a proxy's page</html>" });

const WHOLE_ANSWERS: Readonly<Record<string, (usage: Counted) => WholeAnswer>> = {
  refused: () => json(500, { error: { message: "no", type: "server_error" } }),
  shed: () => json(529, { error: { message: "overloaded", type: "overloaded_error" } }),
  page: () => page(200),
  gone: () => page(504),
  waited: () => json(408, { error: { message: "timed out" } }),
  left: () => page(499),
  unusable: (usage) => json(200, { choices: null, usage }),
  broken: (usage) => json(200, { error: { message: "it broke", code: 500 }, usage }),
};

function answer(response: ServerResponse, how: string, usage: Counted, stream: boolean, onHang: () => void): void {
  const whole = WHOLE_ANSWERS[how]?.(usage);
  if (whole && how === "broken" && stream) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${streamed(usage)[0] ?? ""}data: ${whole.body}\n\n`);
    return;
  }
  if (whole) {
    response.writeHead(whole.status, { "content-type": whole.type }).end(whole.body);
    return;
  }
  const pieces = stream ? streamed(usage) : unstreamed(usage);
  const [stage = "end", fault] = how.split(".");
  const shown =
    how === "ok"
      ? pieces.length
      : ({ sent: 0, headers: 0, content: 2, end: pieces.length - 1, usage: pieces.length }[stage] ?? 0);
  if (stage !== "sent" || how === "ok") {
    const type = stream ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type });
    response.flushHeaders();
  }
  for (const piece of pieces.slice(0, shown)) response.write(piece);
  if (how === "ok") response.end();
  else if (fault === "hang") onHang();
  // What was written leaves first.
  else setTimeout(() => response.socket?.resetAndDestroy(), 5);
}

function streamed(usage: Counted): readonly string[] {
  const chunk = (choices: readonly unknown[], more: object = {}) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", choices, ...more })}\n\n`;
  const content = (text: string) => chunk([{ index: 0, delta: { content: text }, finish_reason: null }]);
  return [
    content("one"),
    content(" two"),
    chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
    `${chunk([], { usage })}data: [DONE]\n\n`,
  ];
}

function unstreamed(usage: Counted): readonly string[] {
  const message = { role: "assistant", content: "one two" };
  const text = JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }], usage });
  return [text.slice(0, 10), text.slice(10, 40), text.slice(40, -1), text.slice(-1)];
}
