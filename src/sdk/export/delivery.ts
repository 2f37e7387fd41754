/** One batch on its way: whose key it is, what the gateway said of each item, and what becomes of them. */
import { type GatewayClient, gatewayErrorOf } from "../../api/client.ts";
import { type AnswerOf, pathWith } from "../../api/endpoint.ts";
import { promoteArtifact } from "../../api/eval-cases.ts";
import { whoami, whoamiAnswer } from "../../api/gateway.ts";
import { ingest, ingestAnswer } from "../../api/reports.ts";
import { INGEST_SCHEMA, type ItemResult } from "../../runs/ingest.ts";
import { reasonOf, type Warnings } from "../warnings.ts";
import type { BufferedItem, ExportBuffer } from "./export-buffer.ts";

export type Outcome =
  /** Everything was looked at: it arrived, waits for its subject, or was refused for good. */
  | { readonly type: "done" }
  /** The way or the gateway: worth another try. */
  | { readonly type: "failed"; readonly retryAfterMs?: number | undefined }
  /** The key, or the org it belongs to: trying again soon changes nothing. */
  | { readonly type: "refused"; readonly retryAfterMs?: number | undefined };

/** A saved artifact becomes an eval case; sent to an endpoint of its own. */
export interface Promotion {
  readonly type: "promote";
  readonly artifact: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Delivery {
  deliver(items: readonly BufferedItem[], buffer: ExportBuffer): Promise<Outcome>;
}

const WHOAMI_TIMEOUT_MS = 10_000;
const INGEST_TIMEOUT_MS = 30_000;
/** A key that is refused is looked at again after this long: it may have been given a scope. */
const REFUSED_PAUSE_MS = 60_000;
/** An item whose subject has not arrived by then names nothing. */
const LONGEST_WAIT_MS = 86_400_000;

type Identity = AnswerOf<typeof whoami>["org"];

interface ParsedItem {
  readonly item: BufferedItem;
  readonly body: { readonly type: string };
}

export function gatewayDelivery(
  gateway: GatewayClient,
  options: {
    readonly expectOrg: string | undefined;
    readonly now: () => number;
    /** Pause before the next try after so many. */
    readonly backoff: (attempts: number) => number;
    readonly warn: Warnings;
  },
): Delivery {
  return new GatewayDelivery(gateway, options);
}

class GatewayDelivery implements Delivery {
  readonly #gateway: GatewayClient;
  readonly #options: Parameters<typeof gatewayDelivery>[1];
  #identity: Identity | undefined;

  constructor(gateway: GatewayClient, options: Parameters<typeof gatewayDelivery>[1]) {
    this.#gateway = gateway;
    this.#options = options;
  }

  async deliver(items: readonly BufferedItem[], buffer: ExportBuffer): Promise<Outcome> {
    const giveBack = (): void => buffer.postpone(seqsOf(items), 0);
    try {
      const refusal = await this.#identify(buffer);
      if (refusal) {
        giveBack();
        return refusal;
      }
      return await this.#send(items, buffer);
    } catch (cause) {
      giveBack();
      const why = `the gateway ${this.#gateway.url} cannot be reached, records wait here: ${reasonOf(cause)}`;
      this.#options.warn.once("unreachable", why);
      return { type: "failed" };
    }
  }

  /** Asks once whose key this is; a key never changes its org. */
  async #identify(buffer: ExportBuffer): Promise<Outcome | undefined> {
    const { expectOrg, warn } = this.#options;
    if (!this.#identity) {
      const response = await this.#gateway.send(whoami.path, { timeoutMs: WHOAMI_TIMEOUT_MS });
      if (!response.ok) return await this.#notTaken(response);
      this.#identity = whoamiAnswer.pick({ org: true }).parse(await response.json()).org;
      buffer.knowDestination(`${this.#gateway.url} ${this.#identity.id}`);
    }
    if (expectOrg === undefined || expectOrg === this.#identity.slug) return undefined;
    warn.say(
      `ORG MISMATCH: the key belongs to org ${this.#identity.slug}, expected ${expectOrg}; nothing is sent. ` +
        "Use a key of the expected org, or change expectOrg",
    );
    return { type: "refused" };
  }

  async #send(items: readonly BufferedItem[], buffer: ExportBuffer): Promise<Outcome> {
    const parsed: ParsedItem[] = items.map((item) => ({ item, body: JSON.parse(item.body) as ParsedItem["body"] }));
    const promotions = parsed.filter(({ body }) => body.type === "promote");
    const refusal = await this.#ingest(
      parsed.filter(({ body }) => body.type !== "promote"),
      buffer,
    );
    if (refusal) {
      buffer.postpone(seqsOf(promotions.map(({ item }) => item)), 0);
      return refusal;
    }
    for (const { item, body } of promotions) await this.#promote(item, body as Promotion, buffer);
    return { type: "done" };
  }

  /** A batch that is refused whole (too large, not understood) goes in halves, until what is at fault stands alone. */
  async #ingest(batch: readonly ParsedItem[], buffer: ExportBuffer): Promise<Outcome | undefined> {
    if (batch.length === 0) return undefined;
    const body = { schema: INGEST_SCHEMA, items: batch.map((one) => one.body) };
    const response = await this.#gateway.send(ingest.path, { body, timeoutMs: INGEST_TIMEOUT_MS });
    if (response.ok) {
      const answer = ingestAnswer.pick({ items: true }).parse(await response.json());
      this.#sort(batch, new Map(answer.items.map((result) => [result.index, result])), buffer);
      return undefined;
    }
    if (response.status !== 400 && response.status !== 413 && response.status !== 422) {
      buffer.postpone(seqsOf(batch.map(({ item }) => item)), 0);
      return await this.#notTaken(response);
    }
    const [only, ...others] = batch;
    if (only && others.length === 0) {
      const { code, message } = await errorOf(response);
      this.#bury(only.item, code, message, buffer);
      return undefined;
    }
    const middle = Math.ceil(batch.length / 2);
    const refusal = await this.#ingest(batch.slice(0, middle), buffer);
    if (!refusal) return await this.#ingest(batch.slice(middle), buffer);
    buffer.postpone(seqsOf(batch.slice(middle).map(({ item }) => item)), 0);
    return refusal;
  }

  #sort(batch: readonly ParsedItem[], told: ReadonlyMap<number, ItemResult>, buffer: ExportBuffer): void {
    const arrived: BufferedItem[] = [];
    for (const [index, { item }] of batch.entries()) {
      const { status, code = "refused", message = "no reason was given" } = told.get(index) ?? { status: "stored" };
      if (status === "stored" || status === "duplicate") arrived.push(item);
      else if (status === "later") this.#later(item, message, buffer);
      else this.#bury(item, code, message, buffer);
    }
    buffer.remove(seqsOf(arrived));
  }

  async #promote(item: BufferedItem, { artifact, body }: Promotion, buffer: ExportBuffer): Promise<void> {
    const path = pathWith(promoteArtifact.path, { id: artifact });
    const response = await this.#gateway.send(path, { body, timeoutMs: INGEST_TIMEOUT_MS });
    if (response.ok) return buffer.remove([item.seq]);
    const { code, message } = await errorOf(response);
    // Its artifact may be on its way; anything else of ours that is refused will be refused again.
    const passing = response.status === 404 || response.status === 429 || response.status >= 500;
    if (passing) this.#later(item, message, buffer);
    else this.#bury(item, code, message, buffer);
  }

  #later(item: BufferedItem, why: string, buffer: ExportBuffer): void {
    const now = this.#options.now();
    if (now - item.at > LONGEST_WAIT_MS) this.#bury(item, "subject_unknown", why, buffer);
    else buffer.postpone([item.seq], now + this.#options.backoff(item.attempts));
  }

  async #notTaken(response: Response): Promise<Outcome> {
    const { status } = response;
    const { message } = await errorOf(response);
    if (status === 401 || status === 403) {
      const fix = status === 401 ? "mint a key and set MODELRIG_KEY" : "the key needs the scope ingest";
      this.#options.warn.once(`auth ${status}`, `AUTH FAILED (${status}): ${message}; ${fix}. Records wait here`);
      return { type: "refused", retryAfterMs: REFUSED_PAUSE_MS };
    }
    this.#options.warn.once(`status ${status}`, `the gateway answered ${status}, records wait here: ${message}`);
    const seconds = Number(response.headers.get("retry-after"));
    return { type: "failed", retryAfterMs: seconds > 0 ? seconds * 1_000 : undefined };
  }

  #bury({ seq }: BufferedItem, code: string, message: string, buffer: ExportBuffer): void {
    buffer.bury([seq], { code, message, at: this.#options.now() });
    this.#options.warn.once(`refused ${code}`, `the gateway refused a record for good (${code}): ${message}`);
  }
}

async function errorOf(response: Response): Promise<{ readonly code: string; readonly message: string }> {
  const { code = `http_${response.status}`, message } = await gatewayErrorOf(response);
  return { code, message };
}

function seqsOf(items: readonly BufferedItem[]): readonly number[] {
  return items.map(({ seq }) => seq);
}
