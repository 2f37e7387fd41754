/** The template language of bundles: Liquid without files, HTML escaping or randomness, and with bounds. */
/// <reference path="./liquidjs-browser.d.ts" />
import { Liquid, LiquidError, type Template as LiquidNode } from "liquidjs/dist/liquid.browser.mjs";
import { withExactVariables } from "./exact-variable.ts";

/** Characters of one template part. */
const PARSE_LIMIT = 500_000;
/** Milliseconds of one rendering; Workers freeze their clock during CPU work, there the memory limit binds. */
const RENDER_LIMIT_MS = 2_000;
/** Characters and elements made while rendering one part; four times the default body limit. */
const MEMORY_LIMIT = 80_000_000;

/** Tags that read other files, and filters with random results. */
const REMOVED_TAGS = ["include", "render", "layout", "block"] as const;
const REMOVED_FILTERS = ["sample"] as const;

const engine = boundedEngine();

export type ParsedTemplate = readonly LiquidNode[];

/** A variable that a template reads from outside itself. Row and column count from 1 inside the template text. */
export interface VariableUse {
  readonly segments: readonly string[];
  readonly row: number;
  readonly col: number;
}

type TemplateParse =
  | { readonly ok: true; readonly template: ParsedTemplate; readonly uses: readonly VariableUse[] }
  | { readonly ok: false; readonly message: string; readonly row: number; readonly col: number };

export function parseTemplate(text: string): TemplateParse {
  try {
    const template = engine.parse(text);
    const { globals } = engine.analyzeSync(template, { partials: false });
    const uses = Object.values(globals)
      .flat()
      .map((variable) => ({
        segments: leadingNames(variable.toArray()),
        row: variable.location.row,
        col: variable.location.col,
      }));
    return { ok: true, template, uses };
  } catch (cause) {
    if (!(cause instanceof LiquidError)) throw cause;
    const [row = 1, col = 1] = cause.token.getPosition();
    return { ok: false, message: plainMessage(cause), row, col };
  }
}

/** Renders with strict variables. Returns a message for faulty variables or an exceeded limit. */
export function renderTemplate(
  template: ParsedTemplate,
  variables: Readonly<Record<string, unknown>>,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string } {
  try {
    return { ok: true, text: String(engine.renderSync([...template], scopeOf(variables))) };
  } catch (cause) {
    if (!(cause instanceof LiquidError)) throw cause;
    return { ok: false, message: plainMessage(cause) };
  }
}

function scopeOf(variables: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, withExactVariables(value)]));
}

function boundedEngine(): Liquid {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    ownPropertyOnly: true,
    cache: false,
    templates: {},
    timezoneOffset: 0,
    parseLimit: PARSE_LIMIT,
    renderLimit: RENDER_LIMIT_MS,
    memoryLimit: MEMORY_LIMIT,
  });
  for (const tag of REMOVED_TAGS) Reflect.deleteProperty(liquid.tags, tag);
  for (const filter of REMOVED_FILTERS) Reflect.deleteProperty(liquid.filters, filter);
  return liquid;
}

/** The library appends its own position to the message; the faults here contain the position in the bundle. */
function plainMessage(error: LiquidError): string {
  const first = error.message.split("\n", 1)[0] ?? error.message;
  return first.replace(/, line:\d+, col:\d+$/, "").replace(/, file:.*$/, "");
}

/** `a.b[c].d` reads `a.b`: the steps after a computed one are unknown. */
function leadingNames(segments: readonly unknown[]): string[] {
  const end = segments.findIndex((segment) => typeof segment !== "string");
  return segments.slice(0, end === -1 ? undefined : end).map(String);
}
