import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { mayCall } from "../../src/identity/reach.ts";
import { DEFAULT_VARIANT, variantNames } from "../../src/route/narrow.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";

const model = z.object({
  id: z.string().describe("What to send as `model`: a route, route@variant, or provider/model."),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string().describe("`modelrig` for routes, else the provider."),
});

export const modelsAnswer = z.object({ object: z.literal("list"), data: z.array(model) }).openapi("ModelList");

type Model = z.output<typeof model>;

/** `GET /v1/models`: routes and variants this key may call, then the raw models declared in modelrig.yaml. */
export function models(app: Hono<AppEnv>): void {
  app.get("/v1/models", (c) => {
    const { runtime, principal } = callerOf(c, "call");
    const entry = (id: string, owner: string): Model => ({ id, object: "model", created: 0, owned_by: owner });
    const routes = [...runtime.routes.values()]
      .filter((route) => mayCall(principal, route.name))
      .flatMap((route) =>
        variantNames(route).map((variant) =>
          entry(variant === DEFAULT_VARIANT ? route.name : `${route.name}@${variant}`, "modelrig"),
        ),
      );
    const raw = runtime.providers.all
      .filter((provider) => runtime.sim || !provider.simulated)
      .flatMap((provider) =>
        Object.keys(provider.models).map((id) => ({ id: `${provider.name}/${id}`, owner: provider.name })),
      )
      .filter(({ id }) => mayCall(principal, `raw:${id}`))
      .map(({ id, owner }) => entry(id, owner));
    return c.json({ object: "list", data: [...routes, ...raw] } satisfies z.output<typeof modelsAnswer>);
  });
}
