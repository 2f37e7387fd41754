/**
 * The provider of the bench, a process of its own: answers at once, in three wires. Streams leave event by event, each in
 * a write of its own, as a provider sends them. Tells its port to the parent.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { streamedAnswer, type Wire, wholeAnswer } from "./shapes.ts";

interface Asked {
  readonly wire: Wire;
  readonly model: string;
  readonly stream: boolean;
}

const answers = new Map<string, readonly Buffer[]>();

function answerTo({ wire, model, stream }: Asked): readonly Buffer[] {
  const key = `${wire} ${model} ${stream}`;
  let pieces = answers.get(key);
  if (!pieces) {
    pieces = (stream ? streamedAnswer(wire, model) : [wholeAnswer(wire, model)]).map((piece) => Buffer.from(piece));
    answers.set(key, pieces);
  }
  return pieces;
}

const GEMINI = /\/models\/(?<model>[^:]+):(?<method>\w+)/;

function askedBy(url: string, body: string): Asked {
  const gemini = GEMINI.exec(url)?.groups;
  if (gemini) return { wire: "gemini", model: gemini["model"]!, stream: gemini["method"] === "streamGenerateContent" };
  const { model, stream } = JSON.parse(body) as { readonly model: string; readonly stream?: boolean };
  return { wire: url.endsWith("/messages") ? "anthropic" : "openai", model, stream: stream === true };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const asked = askedBy(request.url ?? "", Buffer.concat(chunks).toString());
  const pieces = answerTo(asked);
  if (!asked.stream) {
    const [whole] = pieces;
    response.writeHead(200, { "content-type": "application/json", "content-length": whole!.byteLength });
    response.end(whole);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")]);
    else await setImmediate();
  }
  response.end();
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
