/** Why a request is refused before the runtime sees it: workerd answers such requests with a 500 in plain text. */
export interface FramingFault {
  readonly status: 400 | 405 | 431;
  readonly code: string;
  readonly message: string;
}

interface Framed {
  /** What may be passed on, in order. */
  readonly pass: readonly Buffer[];
  /** What follows it cannot be read as a request. */
  readonly fault?: FramingFault | undefined;
}

const LARGEST_HEAD = 64 * 1024;
const LONGEST_CHUNK_LINE = 1024;
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What comes next of a request's bytes; a chunk's bytes include its line end, a `trailer` is a line behind the last chunk. */
type Part =
  | { readonly type: "head" | "chunk-size" | "trailer" }
  | { readonly type: "bytes"; left: number; readonly next: "head" | "chunk-size" };

class FramingError extends Error {
  readonly fault: FramingFault;

  constructor(fault: FramingFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Follows the requests of one connection (RFC 9112) by their heads and lengths; bodies are only counted. */
export class RequestFraming {
  #part: Part = { type: "head" };
  /** Bytes of a head or line that has not arrived whole. */
  #held: Buffer = Buffer.alloc(0);

  /** Nothing of the next request was passed on yet. */
  get atHead(): boolean {
    return this.#part.type === "head";
  }

  take(chunk: Buffer): Framed {
    const pass: Buffer[] = [];
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    try {
      while (rest.length > 0) {
        const taken = this.#part.type === "bytes" ? this.#takeBytes(this.#part, rest) : this.#takeText(rest);
        if (taken === 0) {
          this.#held = rest;
          break;
        }
        pass.push(rest.subarray(0, taken));
        rest = rest.subarray(taken);
      }
      return { pass };
    } catch (cause) {
      if (cause instanceof FramingError) return { pass, fault: cause.fault };
      throw cause;
    }
  }

  #takeBytes(part: Extract<Part, { type: "bytes" }>, bytes: Buffer): number {
    const taken = Math.min(part.left, bytes.length);
    part.left -= taken;
    if (part.left === 0) this.#part = { type: part.next };
    return taken;
  }

  /** Returns the length of the head or line, 0 while it is not there whole. */
  #takeText(bytes: Buffer): number {
    const [end, most] = this.#part.type === "head" ? ["\r\n\r\n", LARGEST_HEAD] : ["\r\n", LONGEST_CHUNK_LINE];
    const at = bytes.indexOf(end);
    if (at > most || (at === -1 && bytes.length > most)) {
      throw this.#part.type === "head"
        ? new FramingError({ status: 431, code: "headers_too_large", message: `the headers exceed ${most} bytes` })
        : malformed("a line of the chunked body is too long");
    }
    if (at === -1) {
      requireText(bytes, this.#part.type);
      return 0;
    }
    const text = bytes.toString("latin1", 0, at);
    this.#part = this.#after(this.#part.type, text);
    return at + end.length;
  }

  #after(type: Part["type"], text: string): Part {
    if (type === "head") return bodyOf(text);
    if (type === "trailer") return { type: text === "" ? "head" : "trailer" };
    const size = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/.exec(text)?.[1];
    if (size === undefined) throw malformed("the size of a chunk is not a hexadecimal number");
    const left = Number.parseInt(size, 16);
    return left === 0 ? { type: "trailer" } : { type: "bytes", left: left + 2, next: "chunk-size" };
  }
}

/** A head that can never become one is refused before its end: the client may be waiting for an answer. */
function requireText(bytes: Buffer, type: Part["type"]): void {
  const first = bytes[0] ?? 0x41;
  if (type === "head" && (first < 0x21 || first > 0x7e) && first !== 0x0d && first !== 0x0a)
    throw malformed("this is not HTTP; the address begins with http://");
}

/** Judges a head, and returns what follows it. */
function bodyOf(head: string): Part {
  // Empty lines before a request are allowed.
  const [requestLine = "", ...lines] = head.replace(/^(?:\r\n)+/, "").split("\r\n");
  const [method = "", target = "", version = "", ...more] = requestLine.split(" ");
  if (!/^HTTP\/1\.[01]$/.test(version) || more.length > 0 || !TOKEN.test(method))
    throw malformed("the request line is not one of HTTP/1.1");
  if (!METHODS.has(method))
    throw new FramingError({ status: 405, code: "method_not_allowed", message: `${method} is not offered here` });
  if (!target.startsWith("/")) throw malformed("the target of the request is not a path");
  const headers = lines.map(headerOf);
  if (!headers.some(([name]) => name === "host")) throw malformed("the request has no Host header");
  return framingOf(headers);
}

function headerOf(line: string): readonly [string, string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0));
  if (!TOKEN.test(name)) throw malformed("a header line has no name");
  return [name.toLowerCase(), line.slice(colon + 1).trim()];
}

function framingOf(headers: readonly (readonly [string, string])[]): Part {
  const valuesOf = (wanted: string): readonly string[] =>
    headers.filter(([name]) => name === wanted).map(([, value]) => value);
  const [length, ...lengths] = valuesOf("content-length");
  const [coding, ...codings] = valuesOf("transfer-encoding");
  if (lengths.length > 0) throw malformed("the request has more than one Content-Length");
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw malformed("the Content-Length is not a whole number");
  if (coding === undefined) {
    const left = Number(length ?? 0);
    return left === 0 ? { type: "head" } : { type: "bytes", left, next: "head" };
  }
  if (codings.length > 0 || coding.toLowerCase() !== "chunked")
    throw malformed("the only Transfer-Encoding that is taken is chunked");
  if (length !== undefined) throw malformed("the request has both a Content-Length and a Transfer-Encoding");
  return { type: "chunk-size" };
}

function malformed(message: string): FramingError {
  return new FramingError({ status: 400, code: "malformed_request", message });
}
