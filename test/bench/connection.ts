/** One keep-alive connection that costs its process next to nothing: a request is bytes, an answer is timed and counted. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Timing {
  /** Milliseconds from the request to the first byte of the body. */
  readonly firstByteMs: number;
  readonly totalMs: number;
}

export interface Target {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Text that a right answer holds; anything else ends the bench. */
  readonly expect: string;
}

export function requestBytes({ port, path, headers, body }: Target): Buffer {
  const all = { ...headers, "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join("")}\r\n${body}`);
}

/** End of a chunked body. One request is open at a time, so nothing follows it. */
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

export class Connection {
  readonly #socket: Socket;
  #onData: (data: Buffer) => void = () => undefined;
  #onBroken: (error: Error) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data) => this.#onData(data));
    socket.on("error", (error) => this.#onBroken(error));
    socket.on("close", () => this.#onBroken(new Error("the connection was closed")));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new Connection(socket);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Sends and waits for the whole answer. `keep` collects its bytes. Rejects for any status but 200. */
  exchange(bytes: Buffer, keep?: Buffer[]): Promise<Timing> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      let firstByteMs: number | undefined;
      let head: Buffer = Buffer.alloc(0);
      let left: number | undefined;
      let tail: Buffer = Buffer.alloc(0);
      this.#onBroken = reject;
      this.#onData = (data) => {
        keep?.push(data);
        let part = data;
        if (firstByteMs === undefined) {
          head = head.length === 0 ? data : Buffer.concat([head, data]);
          const end = head.indexOf("\r\n\r\n");
          if (end < 0 || end + 4 === head.length) return;
          const text = head.toString("latin1", 0, end);
          if (!text.startsWith("HTTP/1.1 200")) return reject(new Error(head.toString("utf8").slice(0, 600)));
          firstByteMs = performance.now() - startedAt;
          const length = /^content-length: *(\d+)/im.exec(text)?.[1];
          left = length === undefined ? undefined : Number(length);
          part = head.subarray(end + 4);
        }
        if (left !== undefined) left -= part.length;
        else tail = part.length >= 7 ? part.subarray(-7) : Buffer.concat([tail, part]).subarray(-7);
        if (left === 0 || (left === undefined && tail.equals(LAST_CHUNK)))
          resolve({ firstByteMs, totalMs: performance.now() - startedAt });
      };
      this.#socket.write(bytes);
    });
  }
}
