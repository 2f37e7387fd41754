/** Puts a recording `fetch` in the place of a client's own. */
import { clientRecorderOf } from "../records/client-recorder.ts";
import type { Rig } from "../surface.ts";
import { reasonOf } from "../warnings.ts";
import { type FetchLike, tappedFetch } from "./tapped-fetch.ts";
import type { WrapOptions } from "./wrap-options.ts";

const tapped = new WeakSet<object>();

/** Does nothing twice. A client that has no such method stays as it is, and a warning says so. */
export function tapMethod(owner: object | undefined, method: string, rig: Rig, options: WrapOptions): void {
  const recorder = clientRecorderOf(rig);
  if (!recorder) return;
  try {
    const client = owner as Record<string, unknown> | undefined;
    const send = client?.[method];
    if (!client || typeof send !== "function") throw new TypeError(`it has no method ${method}`);
    if (tapped.has(send)) return;
    // Clients call `fetch` without an owner, their own methods with it.
    const bound = method === "fetch" ? (send as FetchLike) : (send.bind(client) as FetchLike);
    const recording = tappedFetch(bound, recorder, options);
    tapped.add(recording);
    client[method] = recording;
  } catch (cause) {
    recorder.warn.once("wrap", `a client could not be wrapped, so its calls are not recorded: ${reasonOf(cause)}`);
  }
}
