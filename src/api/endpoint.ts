/** What an endpoint of the HTTP API is, as data: mounted by the Worker, documented by `openapi.ts`, called by `client.ts`. */
import type { z } from "zod";
import type { Scope } from "../identity/scope.ts";

type Method = "get" | "post" | "put" | "delete";

/** A scope; any valid key; or no key at all. */
type Access = Scope | "any-key" | "open";

interface Answer {
  readonly description: string;
  /** Of a JSON body. */
  readonly json?: z.ZodType;
  /** Media type of another body, beside JSON where both are given. */
  readonly text?: "text/event-stream" | "text/plain" | "application/jsonl" | undefined;
  /** Headers this answer may carry beyond those of any answer. */
  readonly headers?: z.ZodObject;
}

export interface Endpoint {
  /** `operationId`: unique, a verb first. */
  readonly operation: string;
  readonly method: Method;
  /** With `{name}` for a parameter; parameters are never empty. */
  readonly path: string;
  /** Other paths it answers under. */
  readonly aliases?: readonly string[];
  readonly access: Access;
  readonly summary: string;
  /** Parameter of the path that names a route the key must reach. */
  readonly reach?: string;
  /** What it shows carries no tags, so that a key which sees only certain rows is refused: named in the refusal. */
  readonly everyRow?: string;
  /** Parameters of the URL. Absent = it takes none and refuses any, unless `ignoresQuery`. */
  readonly query?: z.ZodType;
  /** Query parameters that are not named in `query`, by their prefix. */
  readonly queryPrefix?: { readonly prefix: string; readonly description: string };
  /** Clients of other APIs send parameters of their own here; what `query` does not name is left alone. */
  readonly ignoresQuery?: true;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Statuses it refuses with beyond those every endpoint of its kind has (`faultStatuses`), and what each means. */
  readonly faults?: Readonly<Record<number, string>>;
  /** Shape of a refusal where it is not the common one; per status, or of all. */
  readonly fault?: z.ZodType | Readonly<Record<number, z.ZodType>>;
}

/** Keeps the literal types of an endpoint, from which those of its handler and its callers follow. */
export function endpoint<const E extends Endpoint>(shape: E): E {
  return shape;
}

type JsonOf<A> = A extends { readonly json: infer S extends z.ZodType } ? z.input<S> : undefined;

/** What a handler may answer: a documented status with its body. */
export type Reply<E extends Endpoint> = {
  [S in keyof E["answers"] & number]: {
    readonly status: S;
    readonly body: JsonOf<E["answers"][S]>;
    readonly headers?: Readonly<Record<string, string>> | undefined;
  };
}[keyof E["answers"] & number];

/** The body of any answer that is no refusal, as a caller reads it. */
export type AnswerOf<E extends Endpoint> = {
  [S in keyof E["answers"]]: E["answers"][S] extends { readonly json: infer A extends z.ZodType }
    ? z.output<A>
    : undefined;
}[keyof E["answers"]];

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

export type ParamsOf<E extends Endpoint> = { readonly [N in ParamNames<E["path"]>]: string };
export type QueryOf<E extends Endpoint> = E extends { readonly query: infer Q extends z.ZodType }
  ? z.output<Q>
  : object;
export type BodyOf<E extends Endpoint> = E extends { readonly body: infer B extends z.ZodType }
  ? z.output<B>
  : undefined;

/** Names of the parameters in a path, in order. */
export function paramNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** The path with its parameters put in, each percent-encoded. */
export function pathWith(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

const OPEN_FAULTS: Readonly<Record<number, string>> = {
  431: "The headers are too large",
  500: "An internal error; the gateway's log has its cause",
};
const KEYED_FAULTS: Readonly<Record<number, string>> = {
  401: "No valid key",
  503: "The database or what else is needed cannot be reached at the moment, or the gateway is shutting down",
};
const BODY_FAULTS: Readonly<Record<number, string>> = {
  400: "The body cannot be accepted as it is",
  413: "The body is too large",
  415: "The body's content-encoding is not known",
};

/** Every status an endpoint may refuse with, and what it means there. */
export function faultStatuses(shape: Endpoint): Readonly<Record<number, string>> {
  const keyed = shape.access !== "open";
  const takesQuery = keyed && !shape.ignoresQuery;
  return {
    ...OPEN_FAULTS,
    ...(keyed && KEYED_FAULTS),
    ...(keyed && shape.access !== "any-key" && { 403: "The key lacks the scope, the reach or the sight of every row" }),
    ...(takesQuery && { 400: "A parameter cannot be accepted" }),
    ...(shape.body && BODY_FAULTS),
    ...shape.faults,
  };
}
