import type { Hono } from "hono";
import type { AnswerOf } from "../../../src/api/endpoint.ts";
import {
  cancelResponse,
  compactResponse,
  deleteResponse,
  getResponse,
  listInputItems,
} from "../../../src/api/responses.ts";
import type { Result } from "../../../src/failure/failure.ts";
import type { JsonRecord } from "../../../src/json/record.ts";
import type { ResponseArchive } from "../../../src/responses/archive.ts";
import type { Caller } from "../../calls/call-access.ts";
import type { AppEnv } from "../../context.ts";
import { badRequest, notFound } from "../../http/fault.ts";
import { actorOf } from "../actor.ts";
import { mount } from "../mount.ts";
import { archiveFault, archiveFor } from "./archive.ts";

type Kept = AnswerOf<typeof getResponse>;
type ItemList = AnswerOf<typeof listInputItems>;

/** `/v1/responses/{id}`: kept responses, read and deleted by keys that may call what served them. */
export function mountKeptResponses(app: Hono<AppEnv>): void {
  mount(app, compactResponse).with(() => {
    const way = "begin a new conversation with a summary that a model wrote for you";
    throw badRequest(`conversations are not compacted here; ${way}`, "unsupported_operation");
  });

  mount(app, cancelResponse).with(() => {
    const way = "close the connection of a call to cancel it";
    throw badRequest(`no response is made in the background; ${way}`, "unsupported_operation", "id");
  });

  mount(app, getResponse).with(async (request) => {
    const { stream } = request.query;
    if (stream !== undefined && stream !== "false")
      throw badRequest("a kept response is whole; ask for it without stream", "unsupported_parameter", "stream");
    const archive = await archiveOf(request);
    // Kept as it was answered, by the contract of `createResponse`.
    return { status: 200, body: known(await archive.find(request.params.id)) as unknown as Kept };
  });

  mount(app, deleteResponse).with(async (request) => {
    const { id } = request.params;
    if (!(await (await archiveOf(request)).delete(id, actorOf(request)))) throw noResponse();
    return { status: 200, body: { id, object: "response", deleted: true } };
  });

  mount(app, listInputItems).with(async (request) => {
    const { limit, order, after } = request.query;
    const items = known(await (await archiveOf(request)).inputItems(request.params.id));
    return { status: 200, body: pageOfItems(order === "asc" ? items : [...items].reverse(), limit, after) };
  });
}

function archiveOf(caller: Caller): Promise<ResponseArchive> {
  const { responsesStore } = caller.runtime.config;
  if (!responsesStore) {
    const message =
      "no response is kept: responses_store is not set in modelrig.yaml; send store: false and whole inputs";
    throw notFound(message, "responses_not_kept");
  }
  return archiveFor(caller, responsesStore);
}

function known<T>(found: Result<T | undefined>): T {
  if (!found.ok) throw archiveFault(found.error);
  if (found.value === undefined) throw noResponse();
  return found.value;
}

function noResponse() {
  return notFound("no response that this key may read is kept under this id", "response_not_found", "id");
}

function pageOfItems(items: readonly JsonRecord[], limit: number, after: string | undefined): ItemList {
  const at = after === undefined ? -1 : items.findIndex(({ id }) => id === after);
  if (after !== undefined && at < 0) throw badRequest("no item of the list has this id", "invalid_query", "after");
  const data = items.slice(at + 1, at + 1 + limit);
  const idOf = (item: JsonRecord | undefined) => (typeof item?.["id"] === "string" ? item["id"] : null);
  return {
    object: "list",
    data: data.map((item) => ({ ...item, type: String(item["type"]) })),
    first_id: idOf(data[0]),
    last_id: idOf(data.at(-1)),
    has_more: at + 1 + limit < items.length,
  };
}
