/** Bodies and parameters by their schemas; faults name the field, never its value. */
import type { z } from "zod";
import type { Endpoint } from "../../src/api/endpoint.ts";
import { isTagName } from "../../src/intake/tag-rule.ts";
import { badRequest, type HttpFault } from "../http/fault.ts";

interface ParsedQuery {
  readonly query: unknown;
  readonly prefixed: Readonly<Record<string, string>>;
}

export function readQuery({ query: schema, queryPrefix, ignoresQuery }: Endpoint, url: string): ParsedQuery {
  if (ignoresQuery && !schema) return { query: {}, prefixed: {} };
  const plain: Record<string, string> = {};
  const prefixed: Record<string, string> = {};
  for (const [key, value] of new URL(url).searchParams) {
    const isPrefixed = queryPrefix !== undefined && key.startsWith(queryPrefix.prefix);
    const [into, name] = isPrefixed ? [prefixed, key.slice(queryPrefix.prefix.length)] : [plain, key];
    if (isPrefixed && !isTagName(name)) throw badRequest("no such tag name", "invalid_query", key);
    // Of two values only one could be meant, and which would be a guess.
    if (Object.hasOwn(into, name) && !ignoresQuery) throw badRequest(`${key} is given twice`, "invalid_query", key);
    into[name] = value;
  }
  if (schema) return { query: parsed(schema, plain, "invalid_query"), prefixed };
  const [unknown] = Object.keys(plain);
  if (unknown !== undefined) throw badRequest("there is no such parameter", "invalid_query", unknown);
  return { query: {}, prefixed };
}

export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  return parsed(schema, body, "invalid_body");
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, code: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw faultOf(result.error, code);
}

function faultOf(error: z.ZodError, code: string): HttpFault {
  const issue = deepest(error.issues);
  const path = [...(issue?.path ?? [])].map(String);
  if (issue?.code === "unrecognized_keys") {
    const [unknown = ""] = issue.keys;
    const param = [...path, unknown].join(".");
    return badRequest(`${param}: there is no such field or parameter`, code, param);
  }
  const param = path.join(".");
  const message = issue?.message ?? "invalid";
  return badRequest(param && !message.includes(param) ? `${param}: ${message}` : message, code, param || undefined);
}

type Issue = z.ZodError["issues"][number];

/** Of a union that fits nowhere, the complaint of the alternative that was meant: the one whose fault lies deepest. */
function deepest([first]: readonly Issue[]): Issue | undefined {
  if (first?.code !== "invalid_union") return first;
  const inner = first.errors.map(deepest).filter((issue) => issue !== undefined);
  const [best] = inner.sort((a, b) => b.path.length - a.path.length);
  return best && best.path.length > 0 ? { ...best, path: [...first.path, ...best.path] } : first;
}
