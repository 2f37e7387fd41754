import { describe, expect, it } from "vitest";
import type { SseEvent } from "../../../src/wire/dialect.ts";
import { sseEvents, sseFrame, sseReader } from "../../../src/wire/sse.ts";
import { bodyOf, bytesOf } from "../../support/wire/byte-stream.ts";

async function read(body: ReadableStream<Uint8Array>): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const { event, data } of sseEvents(body)) events.push(event === undefined ? { data } : { event, data });
  return events;
}

/** A body that stays open after its pieces; `pulls` counts how often it was asked for more. */
function openBody(...pieces: readonly string[]) {
  const state = { pulls: 0, canceled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[state.pulls];
        state.pulls += 1;
        if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      },
      cancel() {
        state.canceled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, state };
}

const HELLO = `data: {"choices":[{"index":0,"delta":{"content":"你好🙂"}}]}\n\n`;

describe("characters", () => {
  it("G001 G002: survive a cut at every single byte", async () => {
    expect(await read(bytesOf(HELLO))).toEqual([{ data: HELLO.slice(6, -2) }]);
    const bytes = new TextEncoder().encode(HELLO);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(await read(bodyOf([bytes.subarray(0, cut), bytes.subarray(cut)]))).toEqual([{ data: HELLO.slice(6, -2) }]);
    }
  });

  it("G003: a curly quote cut in two by a small first chunk arrives whole", async () => {
    const bytes = new TextEncoder().encode("data: “quoted”\n\n");
    expect(await read(bodyOf([bytes.subarray(0, 7), bytes.subarray(7)]))).toEqual([{ data: "“quoted”" }]);
  });

  it("end as a replacement character where the body ends inside one", async () => {
    const bytes = new TextEncoder().encode("data: 好");
    expect(await read(bodyOf([bytes.subarray(0, -1)]))).toEqual([{ data: "\ufffd" }]);
  });

  it("a byte order mark before the first field is no part of it", async () => {
    expect(await read(bytesOf("\ufeffdata: x\n\n"))).toEqual([{ data: "x" }]);
  });
});

describe("line ends", () => {
  it("G004: CR at the end of a chunk and LF at the start of the next are one line end", async () => {
    const pieces = ["data: A\r\n", "data: B\r", "\ndata: C\r\n", "\r\n"];
    expect(await read(bodyOf(pieces))).toEqual([{ data: "A\nB\nC" }]);
  });

  it.each(["\n\r\n", "\r\n\n", "\n\n", "\r\r", "\r\n\r\n", "\r\n\r"])(
    "G005: %j sends the event out at once",
    async (end) => {
      const { body } = openBody(`data: first${end}`);
      expect(await sseReader(body).read()).toMatchObject([{ data: "first" }]);
    },
  );

  it("G006: a stream framed with CRLF reads like the same stream with LF", async () => {
    const lf = `event: a\n${HELLO}: comment\n\n${HELLO}data: [DONE]\n\n`;
    const expected = await read(bytesOf(lf));
    expect(expected).toHaveLength(3);
    expect(await read(bytesOf(lf.replaceAll("\n", "\r\n")))).toEqual(expected);
    expect(await read(bytesOf(lf.replaceAll("\n", "\r")))).toEqual(expected);
  });

  it("a last event without its blank line, or without any line end, is not lost", async () => {
    expect(await read(bytesOf("data: a\n\ndata: b\n"))).toEqual([{ data: "a" }, { data: "b" }]);
    expect(await read(bytesOf("data: a\n\ndata: b"))).toEqual([{ data: "a" }, { data: "b" }]);
    expect(await read(bytesOf("data: a\r\rdata: b\r"))).toEqual([{ data: "a" }, { data: "b" }]);
  });
});

describe("fields", () => {
  it("G007: the space after the colon is optional, and only one is removed", async () => {
    expect(await read(bytesOf('event:x\ndata:{"ok":1}\n\n'))).toEqual([{ event: "x", data: '{"ok":1}' }]);
    expect(await read(bytesOf("data:  two\n\n"))).toEqual([{ data: " two" }]);
  });

  it("several data lines are one event, comments and unknown fields none", async () => {
    const text =
      ": OPENROUTER PROCESSING\n\nid: 7\nretry: nonsense\nunknown: x\ndata: 1\n: in between\ndata: 2\n\n: end\n\n";
    expect(await read(bytesOf(text))).toEqual([{ data: "1\n2" }]);
  });

  it("an empty body holds no events", async () => {
    expect(await read(bodyOf([]))).toEqual([]);
    expect(await read(bodyOf(["", "\n\n"]))).toEqual([]);
  });
});

describe("flow", () => {
  it("hands on together what came together, and asks the body for more only when the consumer does", async () => {
    const { body, state } = openBody("data: 1\n\ndata: 2\n\n", "data: 3\n\n");
    const reader = sseReader(body);
    expect(await reader.read()).toMatchObject([{ data: "1" }, { data: "2" }]);
    expect(state.pulls).toBe(1);
    expect(await reader.read()).toMatchObject([{ data: "3" }]);
    expect(state.pulls).toBe(2);
  });

  it("cancel reaches the body and ends a read that waits", async () => {
    const { body, state } = openBody("data: 1\n\n");
    const reader = sseReader(body);
    await reader.read();
    const waiting = reader.read();
    await reader.cancel();
    expect(await waiting).toEqual([]);
    expect(state.canceled).toBe(true);
  });

  it("leaving a loop over events cancels the body", async () => {
    const { body, state } = openBody("data: 1\n\n");
    for await (const event of sseEvents(body)) {
      expect(event.data).toBe("1");
      break;
    }
    expect(state.canceled).toBe(true);
  });

  it("a broken connection rejects the read", async () => {
    const body = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("reset")) });
    await expect(sseReader(body).read()).rejects.toThrow("reset");
  });

  it("drain reads a short rest and gives up on an endless one", async () => {
    const short = sseReader(bodyOf(["data: [DONE]\n\n", "\n"]));
    await short.read();
    await short.drain();
    let canceled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(8192)),
      cancel: () => {
        canceled = true;
      },
    });
    await sseReader(endless).drain();
    expect(canceled).toBe(true);
  });

  it("an event without end is refused instead of filling the memory", async () => {
    const piece = new TextEncoder().encode("x".repeat(1024 * 1024));
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent === 0 ? new TextEncoder().encode("data: ") : piece);
        sent += 1;
      },
    });
    await expect(sseReader(body).read()).rejects.toThrow(/max buffer size/i);
    expect(sent).toBeLessThan(40);
  });
});

describe("writing", () => {
  it("frames data and event with LF, and splits data that holds line ends", async () => {
    expect(sseFrame("x")).toBe("data: x\n\n");
    expect(sseFrame("x", "ping")).toBe("event: ping\ndata: x\n\n");
    expect(await read(bytesOf(sseFrame("a\r\nb\nc", "e")))).toEqual([{ event: "e", data: "a\nb\nc" }]);
  });
});
