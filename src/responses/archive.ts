/** The kept responses of one org, as one key may see them. */
import type { Keyring } from "../custody/keyring.ts";
import { openSealed, type SealedPlace, sealText } from "../custody/sealed-text.ts";
import { err, type Failure, failure, ok, type Result } from "../failure/failure.ts";
import type { AuditStamp } from "../identity/audit-stamp.ts";
import { parseExact } from "../json/exact-numbers.ts";
import type { JsonRecord } from "../json/record.ts";
import { continuable, itemIds, keptInput, outputOf, referredId, sentAgain } from "./items.ts";
import type { ItemHolder, ResponseRow, ResponseStore } from "./ports.ts";

interface ArchiveOptions {
  readonly store: ResponseStore;
  readonly keyring: Keyring;
  readonly org: string;
  /** Whether the key may call this route or raw model. What it may not call it does not see either. */
  readonly reaches: (reach: string) => boolean;
  /** Milliseconds from the last use of a response to its end. */
  readonly ttlMs: number;
  /** Most characters of sealed text that one request may bring back. */
  readonly mostContext: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The input of a request with all it refers to. */
interface Continuation {
  readonly input: readonly unknown[];
  /** Ids of the responses it was taken from. */
  readonly used: readonly string[];
}

interface AnsweredRequest {
  readonly response: JsonRecord;
  /** As the client sent it. */
  readonly input: unknown;
  readonly previous: string | undefined;
  readonly used: readonly string[];
  readonly reach: string;
  readonly keyId: string;
}

interface Opened {
  readonly input: readonly JsonRecord[];
  readonly response: JsonRecord;
}

/** A larger exchange is not kept: characters of JSON. */
const MOST_KEPT = 8 * 1024 * 1024;

const DO_WITHOUT =
  "send the whole input instead, with store: false in the client (AI SDK: providerOptions.openai.store = false)";

export class ResponseArchive {
  readonly #options: ArchiveOptions;

  constructor(options: ArchiveOptions) {
    this.#options = options;
  }

  /**
   * Returns the input with the responses before it in front and each item that it refers to in its place. Fails with
   * `bad_request` and the parameter where one of them is not there or not for this key, and with `server_error` where
   * the texts cannot be opened.
   */
  async continuation(previous: string | undefined, input: unknown): Promise<Result<Continuation>> {
    const before = previous === undefined ? ok(NOTHING) : await this.#context(previous);
    if (!before.ok) return before;
    const own = typeof input === "string" ? [{ role: "user", content: input }] : Array.isArray(input) ? input : [];
    const whole = await this.#resolved(before.value.items, own);
    if (!whole.ok) return whole;
    return ok({ input: whole.value.items, used: [...before.value.used, ...whole.value.used] });
  }

  /** Returns false where it may not be kept or is too large. Its id is that of the response. */
  async keep({ response, input, previous, used, reach, keyId }: AnsweredRequest): Promise<boolean> {
    const { store, keyring, ttlMs, now } = this.#options;
    const id = String(response["id"]);
    const text = JSON.stringify({ input: keptInput(input, id), response: { ...response, store: true } });
    if (text.length > MOST_KEPT) return false;
    const createdAt = now();
    const sealed = await sealText(text, this.#place(id), keyring);
    const row = { id, previous, reach, keyId, createdAt, expiresAt: createdAt + ttlMs, sealed };
    return await store.keep(row, itemIds(response), used);
  }

  /** Undefined where there is none for this key. */
  async find(id: string): Promise<Result<JsonRecord | undefined>> {
    const row = await this.#row(id);
    if (!row) return ok(undefined);
    const opened = await this.#open(row);
    return opened.ok ? ok(opened.value.response) : opened;
  }

  /**
   * Returns what the model was given for a response, oldest first: the responses it continued and the input of its own
   * request. Of a conversation whose beginning is gone, what is left. Undefined where there is no such response.
   */
  async inputItems(id: string): Promise<Result<readonly JsonRecord[] | undefined>> {
    const { store, mostContext, now } = this.#options;
    const { rows } = await store.chain(id, now(), mostContext);
    const seen = rows.slice(
      0,
      firstIndex(rows, ({ reach }) => !this.#options.reaches(reach)),
    );
    if (seen.length === 0) return ok(undefined);
    const items: JsonRecord[] = [];
    for (const row of [...seen].reverse()) {
      const opened = await this.#open(row);
      if (!opened.ok) return opened;
      items.push(...opened.value.input, ...(row.id === id ? [] : outputOf(opened.value.response)));
    }
    const held = await this.#held(items.flatMap((item) => referredId(item) ?? []));
    return held.ok ? ok(items.map((item) => held.value.items.get(referredId(item) ?? "") ?? item)) : held;
  }

  /** Returns false where there is none for this key. */
  async delete(id: string, stamp: AuditStamp): Promise<boolean> {
    return (await this.#row(id)) !== undefined && (await this.#options.store.delete(id, stamp));
  }

  async #row(id: string): Promise<ResponseRow | undefined> {
    const { store, now, reaches } = this.#options;
    const [row] = await store.some([id], now());
    return row && reaches(row.reach) ? row : undefined;
  }

  /** What a response says and what came before it, oldest first. */
  async #context(previous: string): Promise<Result<Context>> {
    const { store, mostContext, now, reaches } = this.#options;
    const { rows, end } = await store.chain(previous, now(), mostContext);
    if (rows.length === 0 || !rows.every(({ reach }) => reaches(reach))) return err(await this.#missing(previous));
    if (end === "cut") {
      const what = "an earlier response of this conversation was deleted or has expired";
      return err(notFound("previous_response_not_found", "previous_response_id", `${what}; ${DO_WITHOUT}`));
    }
    if (end === "too_long") return err(tooLong("previous_response_id"));
    const items: JsonRecord[] = [];
    for (const row of [...rows].reverse()) {
      const opened = await this.#open(row);
      if (!opened.ok) return opened;
      items.push(...opened.value.input.map(sentAgain), ...continuable(opened.value.response));
    }
    return ok({ items, used: rows.map(({ id }) => id) });
  }

  /** Context and input with the items in place of what refers to them. A reference into the context adds nothing. */
  async #resolved(context: readonly JsonRecord[], own: readonly unknown[]): Promise<Result<Context<unknown>>> {
    const present = new Set(context.filter((item) => !referredId(item)).flatMap(({ id }) => (id ? [String(id)] : [])));
    const wanted = [...context, ...own].flatMap((item) => referredId(item) ?? []).filter((id) => !present.has(id));
    const held = await this.#held([...new Set(wanted)]);
    if (!held.ok) return held;
    const items: unknown[] = [];
    for (const [index, item] of [...context, ...own].entries()) {
      const id = referredId(item);
      if (id === undefined) items.push(item);
      if (id === undefined || present.has(id)) continue;
      const found = held.value.items.get(id);
      if (!found) return err(await this.#missing(id, `input.${index - context.length}`));
      if (found["type"] !== "reasoning" || found["encrypted_content"]) items.push(found);
    }
    return ok({ items, used: held.value.used });
  }

  /** Output items by their ids. Where several responses hold one, that of the newest. */
  async #held(ids: readonly string[]): Promise<Result<Held>> {
    const { store, now, mostContext, reaches } = this.#options;
    if (ids.length === 0) return ok({ items: new Map(), used: [] });
    const holders = new Map<string, ItemHolder>();
    for (const holder of await store.holders(ids, now()))
      if (!holders.has(holder.item) && reaches(holder.reach)) holders.set(holder.item, holder);
    const lengths = new Map([...holders.values()].map(({ response, length }) => [response, length]));
    if ([...lengths.values()].reduce((sum, length) => sum + length, 0) > mostContext) return err(tooLong("input"));
    const items = new Map<string, JsonRecord>();
    for (const row of await store.some([...lengths.keys()], now())) {
      const opened = await this.#open(row);
      if (!opened.ok) return opened;
      for (const item of outputOf(opened.value.response)) {
        const id = String(item["id"]);
        if (holders.get(id)?.response === row.id) items.set(id, item);
      }
    }
    return ok({ items, used: [...lengths.keys()] });
  }

  async #open(row: ResponseRow): Promise<Result<Opened>> {
    const text = await openSealed(row.sealed, this.#place(row.id), this.#options.keyring);
    // Sealed by `keep`, and authentic.
    return text.ok ? ok(parseExact(text.value) as Opened) : text;
  }

  async #missing(id: string, path?: string): Promise<Failure> {
    const kept = await this.#options.store.allowed();
    const [code, param, what] =
      path === undefined
        ? (["previous_response_not_found", "previous_response_id", `no response ${id}`] as const)
        : (["item_not_found", path, `no item ${id}`] as const);
    const why = kept
      ? `${what} is kept: it was never stored, has expired, was deleted, or is of a route this key may not call`
      : `${what} is kept: the org's custody keeps hashes only; an admin may set it to content with PUT /v1/settings`;
    return notFound(code, param, `${why}; or ${DO_WITHOUT}`);
  }

  #place(id: string): SealedPlace {
    return { kind: "response", org: this.#options.org, id };
  }
}

interface Context<Item = JsonRecord> {
  readonly items: readonly Item[];
  readonly used: readonly string[];
}

const NOTHING: Context = { items: [], used: [] };

interface Held {
  readonly items: ReadonlyMap<string, JsonRecord>;
  readonly used: readonly string[];
}

function notFound(code: string, param: string, message: string): Failure {
  return failure("bad_request", message, { code, param });
}

function tooLong(param: string): Failure {
  const message =
    "what the request refers to is longer than a request may be (limits.body_bytes); begin a new conversation";
  return failure("bad_request", message, { code: "context_too_large", param, status: 413 });
}

function firstIndex<T>(items: readonly T[], test: (item: T) => boolean): number {
  const at = items.findIndex(test);
  return at < 0 ? items.length : at;
}
