/** Judges an answer by the schema that applies to the call, as received or after the free repair. */
import { type Failure, failure } from "../failure/failure.ts";
import { exceedsMembers, MOST_MEMBERS } from "../json/depth.ts";
import { mayHoldExact, parseExact } from "../json/exact-numbers.ts";
import { repairJson } from "../json/repair/repair.ts";
import { undoNullable } from "../json/schema/undo-nullable.ts";
import { compileSchema, type SchemaValidator } from "../json/schema/validate.ts";
import type { ServedRung } from "../route/route.ts";
import {
  type AnswerChoice,
  type AssistantPart,
  answerText,
  type ChatAnswer,
  type FinishReason,
  isRefused,
} from "../wire/chat.ts";
import { brokenAnswer } from "../wire/unfinished.ts";
import type { OutputRule } from "./call.ts";

export type AnswerVerdict =
  | {
      readonly ok: true;
      readonly answer: ChatAnswer;
      /** The value of choice 0 with numbers as doubles, its text having every digit; absent where no schema governs, or the turn ended in tool calls. */
      readonly output?: unknown;
      readonly conformant: boolean | undefined;
      readonly rung: ServedRung;
      /** True when the text was repaired, so that native bodies and frames no longer match it. */
      readonly changed: boolean;
      /** The provider's refusal, which the client gets as the answer and the record contains as its failure. */
      readonly refused?: Failure | undefined;
    }
  | { readonly ok: false; readonly failure: Failure; readonly text: string; readonly faults: readonly string[] };

/** Judges a whole answer. `repair` allows the free local syntax repair where the ladder lists it. */
export function judge(
  answer: ChatAnswer,
  rule: OutputRule | undefined,
  rung: ServedRung,
  repair: boolean,
): AnswerVerdict {
  const refused = answer.choices.find(isRefused);
  if (refused && rule === undefined)
    return { ok: true, answer, conformant: undefined, rung, changed: false, refused: refusalFailure(refused.finish) };
  if (refused) return reject(refusalFailure(refused.finish), "", []);
  if (answer.choices.length === 0)
    return reject(failure("content_invalid", "the answer holds no choices", { reason: "empty" }), "", []);
  const broken = answer.choices.find((choice) => choice.finish.unified === "error");
  if (broken) return reject(brokenAnswer(broken.finish), "", []);
  if (rule === undefined) return { ok: true, answer, conformant: undefined, rung, changed: false };

  const validator = compileSchema(rule.schema);
  if (!validator.ok) return reject(failure("invariant_violation", "the output schema cannot be compiled"), "", []);
  const canRepair = repair && rule.ladder.includes("syntax_repair");
  const choices: AnswerChoice[] = [];
  let output: unknown;
  let changed = false;
  let repaired = false;
  let judged = false;
  for (const choice of answer.choices) {
    if (choice.finish.unified === "tool-calls") {
      choices.push(choice);
      continue;
    }
    const checked = judgeChoice(choice, validator.value, canRepair, rule);
    if (!checked.ok) return checked;
    if (choices.length === 0) output = withDoubles(checked.value, answerText(checked.choice));
    judged = true;
    changed ||= checked.changed;
    repaired ||= checked.repaired;
    choices.push(checked.choice);
  }
  return {
    ok: true,
    answer: changed ? { ...answer, choices, native: undefined } : answer,
    output,
    conformant: judged ? true : undefined,
    rung: repaired ? "syntax_repair" : rung,
    changed,
  };
}

type CheckedChoice =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly changed: boolean;
      readonly repaired: boolean;
      readonly choice: AnswerChoice;
    }
  | Extract<AnswerVerdict, { ok: false }>;

function judgeChoice(
  choice: AnswerChoice,
  validate: SchemaValidator,
  canRepair: boolean,
  rule: OutputRule,
): CheckedChoice {
  const text = answerText(choice);
  if (choice.finish.unified === "length") {
    return reject(
      failure("content_invalid", "the answer was cut at its token limit", { reason: "truncated" }),
      text,
      [],
    );
  }
  if (text.trim() === "")
    return reject(failure("content_invalid", "the answer is empty", { reason: "empty" }), text, []);
  if (exceedsMembers(text, MOST_MEMBERS)) {
    const message = `has more than ${MOST_MEMBERS.each} members in one object, or ${MOST_MEMBERS.total} in all`;
    return violation(text, [{ path: "", message }]);
  }
  const strict = parse(text);
  if (strict.ok) {
    const result = validate(strict.value);
    if (result.valid) return { ok: true, value: strict.value, changed: false, repaired: false, choice };
    // Strict modes that cannot leave properties out write null for them; removing these nulls belongs to the rung and
    // is no repair.
    const undone = text.includes("null") ? undoNullable(rule.schema, strict.value) : strict.value;
    if (undone !== strict.value && validate(undone).valid)
      return {
        ok: true,
        value: undone,
        changed: true,
        repaired: false,
        choice: withText(choice, JSON.stringify(undone)),
      };
    // What is JSON already has nothing that a repair of its syntax could change.
    return violation(text, result.errors);
  }
  if (!canRepair) {
    return reject(failure("content_invalid", "the answer is not JSON", { reason: "unparseable" }), text, ["not JSON"]);
  }
  const repaired = repairJson(text, { schema: rule.schema });
  if (!repaired.ok) {
    return reject(failure("content_invalid", "the answer is not JSON", { reason: "unparseable" }), text, [
      repaired.error.message,
    ]);
  }
  if (!repaired.value.completed) {
    return reject(failure("content_invalid", "the answer ends inside its JSON", { reason: "truncated" }), text, [
      "cut off",
    ]);
  }
  const result = validate(repaired.value.value);
  if (!result.valid) return violation(text, result.errors);
  const { value, text: mended } = repaired.value;
  return { ok: true, value, changed: true, repaired: true, choice: withText(choice, mended) };
}

/** The value as callers in this process use it; the text has every digit. */
function withDoubles(value: unknown, text: string): unknown {
  return mayHoldExact(text) ? (JSON.parse(text) as unknown) : value;
}

function parse(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    return { ok: true, value: parseExact(text) };
  } catch {
    return { ok: false };
  }
}

/** Replaces all text by one text part; reasoning and other parts stay in place. */
function withText(choice: AnswerChoice, text: string): AnswerChoice {
  const first = choice.content.findIndex((part) => part.type === "text");
  const content = choice.content.flatMap((part, index): AssistantPart[] => {
    if (part.type !== "text") return [part];
    return index === first ? [{ type: "text", text }] : [];
  });
  return { ...choice, content };
}

function violation(
  text: string,
  errors: readonly { readonly path: string; readonly message: string }[],
): Extract<AnswerVerdict, { ok: false }> {
  const faults = errors.slice(0, 10).map((error) => `${error.path || "/"}: ${error.message}`);
  // Only paths are kept: messages of validators may quote the output, which must not reach telemetry.
  const where = errors
    .slice(0, 3)
    .map((error) => error.path || "/")
    .join(", ");
  return reject(
    failure("content_invalid", `the answer breaks the schema at ${where}`, { reason: "schema_violation" }),
    text,
    faults,
  );
}

export function refusalFailure(finish: FinishReason | undefined): Failure {
  const word = finish?.raw ?? "refusal";
  return failure("content_filter", `the model or its provider withheld the answer (${word})`, { code: word });
}

function reject(reason: Failure, text: string, faults: readonly string[]): Extract<AnswerVerdict, { ok: false }> {
  return { ok: false, failure: reason, text, faults };
}
