/** Holds every answer of the gateway under test to the OpenAPI document: its status, its media type, its body. */
import { Validator } from "@cfworker/json-schema";
import { expect } from "vitest";
import { CONTRACT } from "../../src/api/contract.ts";
import type { Endpoint } from "../../src/api/endpoint.ts";
import { openapiDocument } from "../../src/api/openapi.ts";

interface Documented {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: { readonly schemas: object };
}

const document = openapiDocument(CONTRACT, { closed: true }) as unknown as Document;
const validators = new Map<object, Validator>();

const patterns = CONTRACT.flatMap((endpoint) =>
  [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({ endpoint, pattern: patternOf(path) })),
);

function patternOf(path: string): RegExp {
  const source = path.replace(/[.]/g, "\\.").replace(/\{(\w+)\}/g, (_, name) => (name === "model" ? ".+" : "[^/]+"));
  return new RegExp(`^${source}$`);
}

/** Throws where an answer is not what the document says of its operation. Paths that are not documented are left alone. */
export async function expectDocumented(method: string, path: string, response: Response): Promise<void> {
  const [name = ""] = path.split("?");
  const at = patterns.filter(({ pattern }) => pattern.test(name)).map(({ endpoint }) => endpoint);
  if (at.length === 0) return;
  const endpoint = at.find((one) => one.method === method.toLowerCase());
  if (!endpoint) {
    if (method !== "HEAD" && method !== "OPTIONS") expect([401, 405], `${method} ${path}`).toContain(response.status);
    return;
  }
  const said = operationOf(endpoint).responses[String(response.status)];
  const where = `${method} ${path} answered ${response.status}`;
  expect(said, `${where}, which is not documented`).toBeDefined();
  const type = response.headers.get("content-type")?.split(";")[0];
  if (!said?.content) return;
  const media = type === undefined ? undefined : said.content[type];
  expect(media, `${where} with ${type}, documented are ${Object.keys(said.content).join(", ")}`).toBeDefined();
  if (type !== "application/json" || !media || method === "HEAD") return;
  const { valid, errors } = validatorOf(media.schema).validate(await response.clone().json());
  const told = errors.map(({ error, instanceLocation }) => `${instanceLocation}: ${error}`).join("\n");
  expect(valid, `${where} with a body that is not as documented\n${told}`).toBe(true);
}

function operationOf({ path, method }: Endpoint): Documented {
  const found = document.paths[path]?.[method];
  if (!found) throw new Error(`${method} ${path} is in no document`);
  return found;
}

function validatorOf(schema: object): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const made = new Validator({ ...schema, components: document.components } as never, "2020-12", false);
  validators.set(schema, made);
  return made;
}
