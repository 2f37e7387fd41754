/** Judges a value by a part of an opened schema, in counted steps. */
import { pointerTo } from "../pointer.ts";
import { isRecord, type JsonRecord } from "../record.ts";
import { Steps } from "../steps.ts";
import { KEYWORD_RULES } from "./keyword-rules.ts";
import type { Judged, KeywordRule, Place, RuleContext } from "./rule.ts";
import type { SchemaDocument } from "./schema-document.ts";
import type { SchemaPart } from "./schema-references.ts";

export interface ValidationError {
  /** JSON pointer into the value; `""` is the value itself. */
  readonly path: string;
  /** What is expected there. May quote names and numbers of the schema, so it belongs in no log and no telemetry. */
  readonly message: string;
}

const rulesByPart = new WeakMap<JsonRecord, readonly KeywordRule[]>();

export class SchemaCheck implements RuleContext {
  readonly document: SchemaDocument;
  readonly steps: Steps;
  /** Verdicts on the parts that references lead to, by value: without them the work could double at each level. */
  readonly #known = new Map<SchemaPart, Map<unknown, Judged | false>>();
  /** Where a part's errors are named already. */
  readonly #told = new Map<SchemaPart, Set<Place>>();
  readonly #mostErrors: number;
  readonly #errors = new Map<string, ValidationError>();
  #quiet = 0;

  /** `mostErrors` of 0 stops at the first error and names none. */
  constructor(document: SchemaDocument, mostErrors = 0, steps = new Steps()) {
    this.document = document;
    this.#mostErrors = mostErrors;
    this.steps = steps;
  }

  get errors(): readonly ValidationError[] {
    return [...this.#errors.values()];
  }

  get goesOn(): boolean {
    return this.#quiet === 0 && this.#errors.size < this.#mostErrors;
  }

  fail(at: Place, message: string): false {
    if (this.goesOn) {
      const path = pointerOf(at);
      this.#errors.set(`${path} ${message}`, { path, message });
    }
    return false;
  }

  accepts(part: unknown, value: unknown, at: Place, judged?: Judged): boolean {
    this.steps.take();
    if (part === false) return this.fail(at, "is not allowed");
    if (!isRecord(part)) return true;
    if (!this.document.shared.has(part)) return this.#follow(part, value, at, judged);
    const known = this.#knownOf(part).get(value);
    if (known === undefined || (known === false && this.goesOn && !this.#toldOf(part).has(at))) {
      if (this.goesOn) this.#toldOf(part).add(at);
      const own = this.document.tracks ? nothingJudged() : NOT_TRACKED;
      const valid = this.#follow(part, value, at, own);
      this.#knownOf(part).set(value, valid ? own : false);
      if (valid && judged) this.#add(judged, own);
      return valid;
    }
    if (known && judged) this.#add(judged, known);
    return known !== false;
  }

  wouldAccept(part: unknown, value: unknown, at: Place, judged?: Judged): boolean {
    this.#quiet += 1;
    try {
      return this.accepts(part, value, at, judged);
    } finally {
      this.#quiet -= 1;
    }
  }

  #add(to: Judged, from: Judged): void {
    this.steps.take(from.names.size + from.items.size);
    for (const name of from.names) to.names.add(name);
    for (const item of from.items) to.items.add(item);
  }

  #knownOf(part: SchemaPart): Map<unknown, Judged | false> {
    const known = this.#known.get(part) ?? new Map<unknown, Judged | false>();
    this.#known.set(part, known);
    return known;
  }

  #toldOf(part: SchemaPart): Set<Place> {
    const told = this.#told.get(part) ?? new Set<Place>();
    this.#told.set(part, told);
    return told;
  }

  #follow(part: JsonRecord, value: unknown, at: Place, judged: Judged | undefined): boolean {
    if (value === null && part["nullable"] === true) return true;
    // Names judged by a part that fails count for nothing.
    const own = this.document.tracks ? nothingJudged() : undefined;
    let valid = true;
    for (const rule of rulesOf(part)) {
      this.steps.take();
      if (rule(this, part, value, at, own)) continue;
      valid = false;
      if (!this.goesOn) break;
    }
    if (valid && judged && own) this.#add(judged, own);
    return valid;
  }
}

function nothingJudged(): Judged {
  return { names: new Set(), items: new Set() };
}

const NOT_TRACKED = nothingJudged();

function rulesOf(part: JsonRecord): readonly KeywordRule[] {
  const known = rulesByPart.get(part);
  if (known) return known;
  const rules = KEYWORD_RULES.filter(([keyword]) => Object.hasOwn(part, keyword)).map(([, rule]) => rule);
  rulesByPart.set(part, rules);
  return rules;
}

function pointerOf(at: Place): string {
  const keys: (string | number)[] = [];
  for (let place = at; place !== undefined; place = place.up) keys.push(place.key);
  return keys.toReversed().reduce<string>(pointerTo, "");
}

/** Whether a part of the document accepts a value; one that cannot be judged within the steps is not accepted. */
export function acceptedBy(document: SchemaDocument, part: unknown, value: unknown): boolean {
  try {
    return new SchemaCheck(document).accepts(part, value, undefined);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
