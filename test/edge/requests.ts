/** Requests to a gateway of their own each, and records that arrive in its database. */
import { afterEach, inject } from "vitest";
import { openStore } from "../../src/store/store.ts";
import { recordOf } from "../../src/telemetry/record.ts";
import { anInference } from "../support/store/inferences.ts";
import { type Gateway, openGateway } from "./gateway.ts";

const opened: Gateway[] = [];
const open = (key?: string): Gateway => {
  const gateway = openGateway(key === undefined ? {} : { key });
  opened.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

export type Json = Record<string, unknown>;
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  readonly code: string | undefined;
}

export async function send(method: string, path: string, body?: unknown, key?: string): Promise<Answer> {
  const response = await open(key).fetch(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as Json;
  const { status, headers } = response;
  return { status, headers, body: json, code: (json["error"] as { code?: string } | undefined)?.code };
}
export const post = (path: string, body: unknown = {}, key?: string) => send("POST", path, body, key);
export const get = (path: string, key?: string) => send("GET", path, undefined, key);

const store = () => openStore({ url: inject("databaseUrl"), authToken: inject("databaseToken") });
/** As telemetry does a moment after the answer. */
export const arrive = (...all: Parameters<typeof anInference>[0][]) =>
  store().telemetry.insertInferences(all.map((fields) => recordOf(anInference({ org: inject("org"), ...fields }))));
