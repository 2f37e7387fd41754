/** The routes a rig may run: those of its folder, read at the first need, and bundles handed over in code. */
import type { CompiledBundle, Config } from "../../config/config.ts";
import { failure } from "../../failure/failure.ts";
import { providerPrices, providerTable } from "../../provider/table.ts";
import { compileBundle } from "../../route/compile-bundle.ts";
import { type Fault, nearest } from "../../route/fault.ts";
import { type NarrowedRoute, narrow } from "../../route/narrow.ts";
import type { Route } from "../../route/route.ts";
import { compileFolder } from "../../workspace/compile-folder.ts";
import { WorkspaceError } from "../../workspace/workspace-error.ts";
import type { ResolvedConfig } from "../config.ts";
import { RigConfigError, RigError } from "../errors.ts";
import type { RouteBundle } from "./bundle.ts";

export interface Routes {
  /** Rejects with `RigConfigError` where the bundles do not compile. */
  ready(): Promise<void>;
  named(route: string): Promise<Route>;
  ofBundle(bundle: RouteBundle): Promise<Route>;
  /** Undefined where the folder holds no such route, or there is no folder. */
  find(route: string): Promise<Route | undefined>;
}

export function routesOf({ cwd, routesDir, configFile, gateway }: ResolvedConfig, config: Config): Routes {
  let loading: Promise<ReadonlyMap<string, Route>> | undefined;
  const bundles = new WeakMap<RouteBundle, Promise<Route>>();
  const load = async (): Promise<ReadonlyMap<string, Route>> => {
    const { routes } = await compiled({ cwd, routes: routesDir, config: configFile });
    return new Map(routes.map((route) => [route.name, route]));
  };
  const all = (): Promise<ReadonlyMap<string, Route>> => {
    loading ??= load();
    return loading;
  };
  return {
    async ready() {
      if (routesDir !== undefined) await all();
    },
    async named(name) {
      if (routesDir === undefined) {
        const here = `declare it in routes/${name}.yaml (\`modelrig routes new ${name}\`) and create the rig with routesDir`;
        const fix = gateway ? `pass via: "gateway" to run the gateway's routes, or ${here}` : here;
        throw new RigConfigError("routes.none", `this rig is raw-only, so it cannot run the route ${name}`, fix);
      }
      const routes = await all();
      const route = routes.get(name);
      if (route) return route;
      const near = nearest(name, routes.keys());
      const hint = near === undefined ? "" : `; did you mean ${near}?`;
      throw new RigError(
        failure("bad_request", `no route is named ${name}${hint}`, { reason: "model_not_found", param: "route" }),
      );
    },
    ofBundle(bundle) {
      const known = bundles.get(bundle) ?? routeOf(bundle, config);
      bundles.set(bundle, known);
      return known;
    },
    async find(name) {
      return routesDir === undefined ? undefined : (await all()).get(name);
    },
  };
}

export function narrowed(route: Route, variant: string | undefined): NarrowedRoute {
  const chosen = narrow(route, variant);
  if (!chosen.ok) throw new RigError(chosen.error);
  return chosen.value;
}

async function compiled(folder: Parameters<typeof compileFolder>[0]): Promise<CompiledBundle> {
  try {
    const { result } = await compileFolder(folder);
    if (result.ok) return result.value;
    throw invalid(result.error);
  } catch (cause) {
    if (cause instanceof WorkspaceError) throw new RigConfigError(cause.code, cause.message, cause.fix, cause);
    throw cause;
  }
}

async function routeOf(bundle: RouteBundle, config: Config): Promise<Route> {
  const providers = providerTable(config);
  const context = { at: new Date(), readFile: () => undefined, providers, prices: providerPrices(providers) };
  // JSON is YAML: a bundle in code goes through the very checks of a file.
  const { route, faults } = await compileBundle(`${bundle.route}.yaml`, JSON.stringify(bundle, undefined, 2), context);
  if (!route) throw invalid(faults);
  return route;
}

/** Most important last, as they are printed; the first to mend is named first. */
function invalid(faults: readonly Fault[]): RigConfigError {
  const errors = faults.filter(({ severity }) => severity === "error").reverse();
  const told = errors.slice(0, 3).map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
  const more = errors.length > told.length ? ` (and ${errors.length - told.length} more)` : "";
  return new RigConfigError("routes.invalid", `the routes do not compile: ${told.join("; ")}${more}`);
}
