/** Content parts of a client's messages. */
import type { JsonRecord } from "../../json/record.ts";
import type { CacheBreakpoint, MediaSource, RefusalPart, TextPart, UserPart } from "../chat.ts";
import { sniffMediaType } from "../media-type.ts";
import {
  filledString,
  given,
  InvalidField,
  oneOf,
  optionalString,
  requiredArray,
  requiredRecord,
  requiredString,
  type UnmappedFields,
} from "./ingress-fields.ts";

const DETAILS = ["auto", "low", "high", "original"] as const;
const CACHED = ["type", "text", "cache_control"];
const TEXT_FIELDS: ReadonlySet<string> = new Set(CACHED);
const IMAGE_FIELDS: ReadonlySet<string> = new Set(["type", "image_url", "cache_control"]);
const FILE_FIELDS: ReadonlySet<string> = new Set(["type", "file", "cache_control"]);
const AUDIO_FIELDS: ReadonlySet<string> = new Set(["type", "input_audio"]);

export function userParts(content: unknown, path: string, unmapped: UnmappedFields): UserPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return requiredArray(content, path).map((part, index) =>
    userPart(requiredRecord(part, `${path}[${index}]`), `${path}[${index}]`, unmapped),
  );
}

/** System text; anything else than text is refused, as every provider does. */
export function textParts(content: unknown, path: string, unmapped: UnmappedFields): TextPart[] {
  return userParts(content, path, unmapped).map((part, index) => {
    if (part.type === "text") return part;
    throw new InvalidField(`${path}[${index}].type`, `${path}[${index}].type must be text`);
  });
}

/** Text and refusals of an earlier answer; thinking parts are read by the caller. */
export function answerPart(
  part: JsonRecord,
  path: string,
  unmapped: UnmappedFields,
): TextPart | RefusalPart | undefined {
  switch (part["type"]) {
    case "text":
      return textPart(part, path, unmapped);
    case "refusal":
      return { type: "refusal", text: requiredString(part["refusal"], `${path}.refusal`) };
    default:
      return undefined;
  }
}

function userPart(part: JsonRecord, path: string, unmapped: UnmappedFields): UserPart {
  switch (requiredString(part["type"], `${path}.type`)) {
    case "text":
      return textPart(part, path, unmapped);
    case "image_url":
      return imagePart(part, path, unmapped);
    case "file":
      return filePart(part, path, unmapped);
    case "input_audio":
      return audioPart(part, path, unmapped);
    default:
      return { type: "native", dialect: "openai-chat", value: part };
  }
}

function textPart(part: JsonRecord, path: string, unmapped: UnmappedFields): TextPart {
  unmapped.note(part, TEXT_FIELDS, path);
  return { type: "text", text: requiredString(part["text"], `${path}.text`), ...cacheOf(part, path) };
}

/** Mistral's clients write the address without the object around it. */
function imagePart(part: JsonRecord, path: string, unmapped: UnmappedFields): UserPart {
  unmapped.note(part, IMAGE_FIELDS, path);
  const image = part["image_url"];
  const address = typeof image === "string" ? { url: image } : requiredRecord(image, `${path}.image_url`);
  const detail = given(address, "detail");
  const source = mediaSource(filledString(address["url"], `${path}.image_url.url`), `${path}.image_url.url`);
  return {
    type: "image",
    source,
    ...(detail === undefined ? {} : { detail: oneOf(detail, DETAILS, `${path}.image_url.detail`) }),
    ...cacheOf(part, path),
  };
}

function filePart(part: JsonRecord, path: string, unmapped: UnmappedFields): UserPart {
  unmapped.note(part, FILE_FIELDS, path);
  const file = requiredRecord(part["file"], `${path}.file`);
  const fileId = optionalString(file, "file_id", `${path}.file.file_id`);
  const data = optionalString(file, "file_data", `${path}.file.file_data`);
  const filename = optionalString(file, "filename", `${path}.file.filename`);
  if (fileId === undefined && data === undefined) {
    throw new InvalidField(`${path}.file`, `${path}.file must hold file_data or file_id`);
  }
  const source = data === undefined ? {} : fileSource(data, `${path}.file.file_data`);
  return { type: "file", source, fileId, filename, ...cacheOf(part, path) };
}

function audioPart(part: JsonRecord, path: string, unmapped: UnmappedFields): UserPart {
  unmapped.note(part, AUDIO_FIELDS, path);
  const audio = requiredRecord(part["input_audio"], `${path}.input_audio`);
  const format = filledString(audio["format"], `${path}.input_audio.format`);
  const data = filledString(audio["data"], `${path}.input_audio.data`);
  return { type: "audio", source: { data, mediaType: format === "mp3" ? "audio/mpeg" : `audio/${format}` }, format };
}

function mediaSource(url: string, param: string): MediaSource {
  if (/^https?:\/\//i.test(url)) return { url };
  if (url.startsWith("data:")) return dataSource(url, param);
  throw new InvalidField(param, `${param} must be an http(s) address or a data: URL`);
}

/** A data URL, or (as OpenAI's own documentation shows for files) the base64 text alone. */
function fileSource(data: string, param: string): MediaSource {
  if (data.startsWith("data:")) return dataSource(data, param);
  return { data, ...(sniffMediaType(data) === undefined ? {} : { mediaType: sniffMediaType(data) }) };
}

/** Clients write blanks into data URLs and label JPEG bytes as PNG; providers refuse both. */
function dataSource(url: string, param: string): MediaSource {
  const comma = url.indexOf(",");
  const head = url.slice("data:".length, comma === -1 ? 0 : comma);
  if (comma === -1 || !/;\s*base64\s*$/i.test(head)) {
    throw new InvalidField(param, `${param} must be a data: URL with base64 data`);
  }
  const data = url.slice(comma + 1);
  const clean = /\s/.test(data) ? data.replace(/\s+/g, "") : data;
  const label = head.split(";")[0]?.trim().toLowerCase();
  return { data: clean, mediaType: sniffMediaType(clean) ?? (label || "application/octet-stream") };
}

/** `cache_control` as OpenRouter's and LiteLLM's clients write it. */
export function cacheOf(record: JsonRecord, path: string): { readonly cache?: CacheBreakpoint } {
  const control = given(record, "cache_control");
  if (control === undefined) return {};
  const ttl = given(requiredRecord(control, `${path}.cache_control`), "ttl");
  return { cache: { ttl: ttl === undefined ? "5m" : oneOf(ttl, ["5m", "1h"] as const, `${path}.cache_control.ttl`) } };
}
