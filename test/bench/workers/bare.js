/** The gateway's bindings and no gateway behind them: what is left of a start when the Worker itself weighs nothing. */
import { DurableObject } from "cloudflare:workers";

export class RouteBreaker extends DurableObject {}
export class SpendEnvelopes extends DurableObject {}

export default {
  fetch: () => new Response("ok"),
  queue: () => undefined,
  scheduled: () => undefined,
};
