/** The body of `POST /v1/run/{route}`, read without the schema library: this is on the way of every such call. */
import { tagsFault } from "../../../src/intake/tag-rule.ts";
import { isRecord } from "../../../src/json/record.ts";
import { badRequest, type HttpFault } from "../../http/fault.ts";

interface RunBody {
  readonly input: Readonly<Record<string, unknown>>;
  readonly variant?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly stepKey?: string | undefined;
  readonly run?: string | undefined;
  readonly stream?: boolean | undefined;
}

const FIELDS: readonly string[] = ["input", "variant", "tags", "stepKey", "run", "stream"];

/** Throws 400 `invalid_body` naming the field at fault; the schema in the contract says the same. */
export function parseRunBody(body: Readonly<Record<string, unknown>>): RunBody {
  const unknown = Object.keys(body).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw invalid(unknown, "there is no such field");
  const { input, tags, stream } = body;
  if (!isRecord(input)) throw invalid("input", "expected an object, the route's variables");
  const fault = tags === undefined ? undefined : tagsFault(tags);
  if (fault !== undefined) throw invalid("tags", fault);
  if (stream !== undefined && typeof stream !== "boolean") throw invalid("stream", "expected true or false");
  return {
    input,
    variant: textAt(body, "variant"),
    tags: tags as RunBody["tags"],
    stepKey: textAt(body, "stepKey"),
    run: textAt(body, "run"),
    stream,
  };
}

function textAt(body: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || typeof value === "string") return value;
  throw invalid(field, "expected a text");
}

function invalid(field: string, message: string): HttpFault {
  return badRequest(`${field}: ${message}`, "invalid_body", field);
}
