import { isTagName, isTagValue, MOST_TAGS, TAG_NAME, TAG_VALUE } from "../../src/intake/tag-rule.ts";
import { ID_PATTERN } from "../../src/route/identifier.ts";
import { badRequest } from "../http/fault.ts";

/** How a caller books a call: from `x-modelrig-*` headers, a body's `metadata`, and what the key fixes. */
export interface RequestMarks {
  readonly tags: Readonly<Record<string, string>>;
  readonly run?: string | undefined;
  readonly step?: string | undefined;
  /** `x-modelrig-stream: validated`: only a complete, conformant answer is streamed. */
  readonly stream?: "live" | "validated" | undefined;
}

/** Later sources win: `metadata` < `x-modelrig-tags` < the key's fixed tags. */
export function requestMarks(
  headers: Headers,
  metadata: Readonly<Record<string, unknown>> | undefined,
  fixedTags: Readonly<Record<string, string>>,
): RequestMarks {
  const stream = headers.get("x-modelrig-stream") ?? undefined;
  if (stream !== undefined && stream !== "validated" && stream !== "live") {
    throw badRequest("x-modelrig-stream takes `validated` or `live`", "invalid_header", "x-modelrig-stream");
  }
  const tags = { ...metadataTags(metadata), ...headerTags(headers.get("x-modelrig-tags")), ...fixedTags };
  if (Object.keys(tags).length > MOST_TAGS) throw badRequest(`more than ${MOST_TAGS} tags`, "too_many_tags");
  return {
    tags,
    run: markId(headers.get("x-modelrig-run"), "x-modelrig-run"),
    step: markId(headers.get("x-modelrig-step"), "x-modelrig-step"),
    stream,
  };
}

/** Run and step ids are short words, so that they can stand in URLs, tables and object names. */
export function markId(value: string | null | undefined, param: string): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  if (ID_PATTERN.test(value)) return value;
  throw badRequest(`${param} must match ${ID_PATTERN.source}`, "invalid_id", param);
}

function checkTag(key: string, value: string, param: string): void {
  if (!isTagName(key)) {
    throw badRequest(`a tag name must match ${TAG_NAME.source} and not be __proto__`, "invalid_tag", param);
  }
  if (!isTagValue(value)) throw badRequest(`the tag ${key} must be ${TAG_VALUE}`, "invalid_tag", param);
}

/** `metadata` is the provider's field first: what does not fit a tag stays what it was and is no error. */
function metadataTags(metadata: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  const tags: Record<string, string> = {};
  for (const [key, value] of Object.entries(metadata ?? {})) {
    if (isTagName(key) && isTagValue(value)) tags[key] = value;
  }
  return tags;
}

function headerTags(header: string | null): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {};
  for (const pair of (header ?? "").split(",")) {
    if (pair.trim() === "") continue;
    const equals = pair.indexOf("=");
    if (equals < 1) throw badRequest("x-modelrig-tags is `key=value,…`", "invalid_tag", "x-modelrig-tags");
    const key = pair.slice(0, equals).trim();
    const value = percentDecoded(pair.slice(equals + 1).trim());
    checkTag(key, value, "x-modelrig-tags");
    tags[key] = value;
  }
  return tags;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest("x-modelrig-tags holds a bad percent escape", "invalid_tag", "x-modelrig-tags");
  }
}
