import { withDeadline } from "../../../durable/remote.ts";
import type { ResponsesStoreSettings } from "../../../src/config/config.ts";
import { stringAt } from "../../../src/json/record.ts";
import type { ResponseArchive } from "../../../src/responses/archive.ts";
import { refersBack } from "../../../src/responses/items.ts";
import { resolveModelWord } from "../../../src/route/model-word.ts";
import type { Caller } from "../../calls/call-access.ts";
import type { KeepAnswer } from "../../calls/keep-answer.ts";
import { requireEveryRow } from "../../http/auth.ts";
import { badRequest } from "../../http/fault.ts";
import { logError } from "../../log.ts";
import { archiveFault, archiveFor } from "./archive.ts";

/** An answer is not held back for longer than this by a database that is slow. */
const KEEP_DEADLINE_MS = 10_000;

type Body = Readonly<Record<string, unknown>>;

/**
 * A request as it goes on to the engine, with all it refers to in its input, and how its answer is kept. Responses are
 * kept unless the request says `store: false`. A key with a row scope neither keeps nor continues any, because they carry
 * no tags.
 */
export async function continueResponse(
  caller: Caller,
  body: Body,
  settings: ResponsesStoreSettings,
): Promise<{ readonly body: Body; readonly keep?: KeepAnswer | undefined }> {
  const { principal } = caller;
  const back = refersBack(body);
  if (back) requireEveryRow(principal, "kept responses");
  const wanted = body["store"] !== false && principal.rowScope === undefined;
  if (!back && !wanted) return { body };
  const archive = await archiveFor(caller, settings);
  const previous = previousOf(body);
  const { previous_response_id: _previous, ...rest } = body;
  const before = back ? await archive.continuation(previous, body["input"]) : undefined;
  if (before?.ok === false) throw archiveFault(before.error);
  const { input = body["input"], used = [] } = before?.value ?? {};
  const continued = { ...rest, input, store: false };
  if (!wanted) return { body: continued };
  const store = keeper(caller, archive, { input: body["input"], previous, used, reach: reachOf(body) });
  return { body: continued, keep: { previous, store } };
}

function previousOf(body: Body): string | undefined {
  const previous = body["previous_response_id"] ?? undefined;
  if (previous === undefined || typeof previous === "string") return previous;
  throw badRequest("previous_response_id must be a string", "invalid_type", "previous_response_id");
}

interface Asked {
  readonly input: unknown;
  readonly previous: string | undefined;
  readonly used: readonly string[];
  readonly reach: string;
}

function keeper(caller: Caller, archive: ResponseArchive, asked: Asked): KeepAnswer["store"] {
  const { keyId, org } = caller.principal;
  return async (response) => {
    const keeping = archive.keep({ ...asked, response, keyId });
    caller.background(keeping.catch(() => undefined));
    try {
      return await withDeadline(KEEP_DEADLINE_MS, keeping);
    } catch (error) {
      logError("response not kept", error, { org });
      return false;
    }
  };
}

/** What a key must reach to call the model; of a word that names none the call is refused. */
function reachOf(body: Body): string {
  const word = resolveModelWord(stringAt(body, "model") ?? "");
  if (!word.ok || word.value.type === "auto") return "";
  return word.value.type === "route" ? word.value.route : `raw:${word.value.provider}/${word.value.model}`;
}
