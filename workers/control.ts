import { createApp } from "./app.ts";
import type { Env } from "./bindings.ts";
import { runtimeOf } from "./compose.ts";

const app = createApp();

/** Answers every request, the calls of `call-front.ts` included. Loaded at the first request that is none of those. */
export async function serveControl(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  await runtimeOf(env).loadStore();
  return await app.fetch(request, env, context);
}
