/** The OpenAPI 3.1 document of the contract. */
import { z } from "zod";
import { type Endpoint, faultStatuses, paramNames } from "./endpoint.ts";
import { errorAnswer } from "./faults.ts";

type Json = Readonly<Record<string, unknown>>;

interface OpenapiOptions {
  /** Whether an answer with a property that is not documented breaks the document. Default false: answers may grow. */
  readonly closed?: boolean;
}

/** Describes every endpoint given, from the schemas its handler parses and answers with. */
export function openapiDocument(endpoints: readonly Endpoint[], options: OpenapiOptions = {}): Json {
  const components = new Components(options.closed ?? false);
  const paths: Record<string, Record<string, Json>> = {};
  for (const one of endpoints) {
    paths[one.path] ??= {};
    Object.assign(paths[one.path] ?? {}, { [one.method]: operationOf(one, components) });
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "modelrig",
      version: "1",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
      },
    },
  };
}

function operationOf(one: Endpoint, components: Components): Json {
  const parameters = [
    ...paramNames(one.path).map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...components.parameters(one.query, "query"),
    ...(one.queryPrefix ? [prefixed(one.queryPrefix)] : []),
    ...components.parameters(one.headers, "header"),
  ];
  return {
    operationId: one.operation,
    summary: one.summary,
    ...(one.access === "open" ? { security: [] } : { security: [{ bearer: [] }, { apiKey: [] }] }),
    ...(one.access !== "open" && one.access !== "any-key" && { "x-modelrig-scope": one.access }),
    ...(one.everyRow !== undefined && { "x-modelrig-every-row": true }),
    ...(one.aliases && { "x-modelrig-aliases": one.aliases }),
    ...(parameters.length > 0 && { parameters }),
    ...(one.body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: components.reference(one.body, "input") } },
      },
    }),
    responses: responsesOf(one, components),
  };
}

function prefixed({ prefix, description }: { readonly prefix: string; readonly description: string }): Json {
  const schema = { type: "object", additionalProperties: { type: "string" } };
  return { name: `${prefix}*`, in: "query", style: "form", explode: true, description, schema };
}

function responsesOf(one: Endpoint, components: Components): Json {
  const responses: Record<string, Json> = {};
  for (const [status, description] of Object.entries(faultStatuses(one))) {
    const schema = components.reference(faultShape(one, Number(status)), "output");
    responses[status] = { description, content: { "application/json": { schema } } };
  }
  for (const [status, { description, json, text, headers }] of Object.entries(one.answers)) {
    responses[status] = {
      description,
      ...(headers && { headers: components.headers(headers) }),
      ...((json ?? text) && {
        content: {
          ...(json && { "application/json": { schema: components.reference(json, "output") } }),
          ...(text && { [text]: { schema: { type: "string" } } }),
        },
      }),
    };
  }
  return responses;
}

/** The shape of a refusal with this status. */
function faultShape({ fault }: Endpoint, status: number): z.ZodType {
  if (fault === undefined) return errorAnswer;
  return isSchema(fault) ? fault : (fault[status] ?? errorAnswer);
}

function isSchema(value: object): value is z.ZodType {
  return "_zod" in value;
}

type Io = "input" | "output";

/** Collects the named schemas, so that each is written once and referred to. */
class Components {
  readonly schemas: Record<string, Json> = {};
  readonly #closed: boolean;

  constructor(closed: boolean) {
    this.#closed = closed;
  }

  /** `$ref` of a named schema, else the schema itself. */
  reference(schema: z.ZodType, io: Io): Json {
    const name = z.globalRegistry.get(schema)?.id;
    const written = this.#jsonSchema(schema, io);
    return name === undefined ? written : { $ref: this.#keep(name, written, io) };
  }

  parameters(schema: z.ZodType | undefined, where: "query" | "header"): readonly Json[] {
    if (!schema) return [];
    const { properties = {}, required = [] } = this.#jsonSchema(schema, "input") as {
      readonly properties?: Readonly<Record<string, Json>>;
      readonly required?: readonly string[];
    };
    return Object.entries(properties).map(([name, { description, ...property }]) => ({
      name,
      in: where,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: property,
    }));
  }

  headers(schema: z.ZodType): Json {
    const named = this.parameters(schema, "header");
    return Object.fromEntries(named.map(({ name, in: _in, ...header }) => [String(name), header]));
  }

  #jsonSchema(schema: z.ZodType, io: Io): Json {
    const {
      $schema: _dialect,
      $defs = {},
      id: _id,
      ...root
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      override: ({ jsonSchema, zodSchema }) => {
        delete jsonSchema.id;
        const open =
          zodSchema._zod.def.type === "object" && !("catchall" in zodSchema._zod.def && zodSchema._zod.def.catchall);
        if (io === "output" && open && !this.#closed) delete jsonSchema.additionalProperties;
      },
    });
    const names = new Map<string, string>();
    for (const [name, definition] of Object.entries($defs)) {
      names.set(`#/$defs/${name}`, this.#keep(name, rewritten(definition), io));
    }
    return rewritten(root, names);
  }

  /** Where the same name reads differently in a request, that reading gets a name of its own. */
  #keep(name: string, schema: Json, io: Io): string {
    const known = this.schemas[name];
    const free = known === undefined || JSON.stringify(known) === JSON.stringify(schema);
    const kept = free ? name : `${name}${io === "input" ? "Input" : "Output"}`;
    this.schemas[kept] = schema;
    return `#/components/schemas/${kept}`;
  }
}

/** References into the document's components instead of the schema's own definitions. */
function rewritten(schema: unknown, names: ReadonlyMap<string, string> = new Map()): Json {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === "$ref" && typeof inner === "string"
          ? (names.get(inner) ?? inner.replace("#/$defs/", "#/components/schemas/"))
          : walk(inner),
      ]),
    );
  };
  return walk(schema) as Json;
}
