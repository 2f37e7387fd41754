/** Serves one report on this machine, and takes the grades that are given in it. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type GradesFile, gradesFile } from "../../../bakeoff/judge/human-grades.ts";
import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { isLoopbackCaller } from "../../../capture/loopback.ts";
import { parsedJson } from "../../../json/parsed.ts";
import { bakeoffPage } from "../../../render/page/page.ts";
import { CliError, EXIT, type Io } from "../../command.ts";
import { keepGrades, storedGrades } from "../files/grade-file.ts";
import { pageScript } from "./page-script.ts";
import { localSamples } from "./past-report.ts";

interface ReportServer {
  /** Holds a secret: anyone who has it can read the texts. */
  readonly url: string;
  /** What was graded, by grader, since it was started. */
  readonly graded: ReadonlyMap<string, GradesFile>;
  readonly close: () => Promise<void>;
}

const LARGEST_BODY = 8_000_000;

export async function serveReport(
  io: Io,
  report: BakeoffReport,
  { port, pairs }: { readonly port: number; readonly pairs: number | undefined },
): Promise<ReportServer> {
  const token = randomBytes(18).toString("base64url");
  const graded = new Map<string, GradesFile>();
  const local = localSamples(io, report.id);
  const script = pageScript();
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isLoopbackCaller(request.headers.host, request.headers.origin))
      return answer(response, 403, "this server answers callers on this machine only");
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (request.method === "GET" && isToken(path.slice(1), token)) {
      const given = storedGrades(io, report.id).at(-1);
      const server = { path: "/grades", token };
      const page = await bakeoffPage(report, { script, local, mostPairs: pairs, given, server });
      response.writeHead(200, { ...HEADERS, "content-type": "text/html; charset=utf-8" }).end(page);
      return;
    }
    // A page of another origin needs a preflight to set this header, and none is answered.
    const sent = request.headers["x-modelrig-token"];
    if (request.method !== "POST" || path !== "/grades") return answer(response, 404, "nothing is here");
    if (typeof sent !== "string" || !isToken(sent, token))
      return answer(response, 403, "this is not the page that was served");
    const body = await bodyOf(request);
    const given = gradesFile.safeParse(body === undefined ? undefined : parsedJson(body));
    if (!given.success) return answer(response, 400, "these are no grades");
    const kept = keepGrades(io, report.id, given.data, "replace");
    graded.set(kept.grader, kept);
    answer(response, 200, `${kept.grades.length} grades are kept on this machine, under ${kept.grader}.`);
  };
  const server = createServer((request, response) => {
    onRequest(request, response).catch((cause: unknown) => {
      answer(response, cause instanceof CliError ? 400 : 500, cause instanceof Error ? cause.message : "failed");
    });
  });
  await listen(server, port);
  const address = server.address();
  const at = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://127.0.0.1:${at}/${token}`,
    graded,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "content-security-policy": "frame-ancestors 'none'",
} as const;

function answer(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { ...HEADERS, "content-type": "application/json" }).end(JSON.stringify({ message }));
}

function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `undefined` where it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > LARGEST_BODY) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new CliError("bakeoff.serve", `cannot listen on 127.0.0.1:${port}`, {
          exitCode: EXIT.usage,
          fix: "--port 0 takes a free one",
          cause,
        }),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
}
