import type { CompileResult } from "../config/compile-all.ts";

/** How long an answer about a route stands: a `capture: false` written now holds this soon. */
const FRESH_MS = 2_000;

/**
 * Whether a route's own bundle on this machine says `capture: true`, read again while the proxy runs. Unknown routes
 * may not be captured, and none may while the bundles cannot be read.
 */
export function capturePermission(
  compile: () => Promise<CompileResult>,
  now: () => number,
  warn: (message: string) => void,
): (route: string) => Promise<boolean> {
  let readAt = Number.NEGATIVE_INFINITY;
  let allowed: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  let broken = false;
  const read = async (): Promise<ReadonlySet<string>> => {
    try {
      const compiled = await compile();
      if (!compiled.ok) throw new Error("they are invalid (modelrig routes check)");
      broken = false;
      return new Set(compiled.value.routes.filter(({ capture }) => capture).map(({ name }) => name));
    } catch (cause) {
      if (!broken) warn(`nothing is captured while the routes cannot be read: ${messageOf(cause)}`);
      broken = true;
      return new Set();
    }
  };
  return async function mayCapture(route) {
    if (now() - readAt >= FRESH_MS) {
      readAt = now();
      allowed = read();
    }
    return (await allowed).has(route);
  };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
