import type { Route } from "../../route/route.ts";
import type { Io } from "../command.ts";
import { paint } from "../output/style.ts";

interface BannerFacts {
  readonly url: string;
  readonly key: string;
  readonly org: string;
  readonly db: string;
  readonly routes: readonly Route[];
  /** Secrets that declared routes need and that are not set. */
  readonly missingKeys: readonly string[];
}

/** What a person sees when `modelrig dev` is ready: where it is, and one command to paste. */
export function printBanner(io: Io, facts: BannerFacts): void {
  const { url, key, org, db, routes } = facts;
  const line = (name: string, value: string): string => `  ${paint(io.stderr, "dim", name.padEnd(9))}${value}\n`;
  io.stderr.write(
    [
      `\n${paint(io.stderr, "bold", "modelrig")} is running. Ctrl-C ends it; nothing is lost.\n\n`,
      line("gateway", `${url}/v1`),
      line("key", `${key}  (org ${org}, kept in .modelrig/dev.json)`),
      line("database", db),
      line("routes", routes.map((route) => route.name).join(", ") || "none yet: modelrig routes new"),
      ...facts.missingKeys.map((name) => line("note", `${name} is not set; candidates that need it are skipped`)),
      "\nTry it:\n\n",
      `${tryIt(facts)}\n\n`,
    ].join(""),
  );
}

function tryIt({ url, key, routes }: BannerFacts): string {
  const model = routes[0]?.name ?? "sim/atlas-small";
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Where is my order 4711?" }] });
  return [
    `  curl ${url}/v1/chat/completions \\`,
    `    -H 'authorization: Bearer ${key}' \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '${body}'`,
  ].join("\n");
}
