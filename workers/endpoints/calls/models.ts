import type { Hono } from "hono";
import { getModel, listModels, type Model } from "../../../src/api/calls.ts";
import { mayCall } from "../../../src/identity/reach.ts";
import { DEFAULT_VARIANT, variantNames } from "../../../src/route/narrow.ts";
import { type Caller, modelNotFound } from "../../calls/call-access.ts";
import type { AppEnv } from "../../context.ts";
import { mount } from "../mount.ts";

/** `GET /v1/models`: routes and variants this key may call, then the raw models declared in modelrig.yaml. */
export function mountModels(app: Hono<AppEnv>): void {
  mount(app, listModels).with((caller) => ({ status: 200, body: { object: "list", data: callable(caller) } }));
  mount(app, getModel).with((caller) => {
    const found = callable(caller).find(({ id }) => id === caller.params.model);
    if (!found) throw modelNotFound("no model that this key may call has this id; GET /v1/models lists them");
    return { status: 200, body: found };
  });
}

function callable({ runtime, principal }: Caller): Model[] {
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
  return [...routes, ...raw];
}
