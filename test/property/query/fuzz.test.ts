import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QUERY_FAULT_CODES, type QueryFault } from "../../../src/query/fault.ts";
import type { SqlStatement } from "../../../src/store/database/fragment.ts";
import { compileQuery, type QueryContext } from "../../../src/store/query/compile.ts";
import { brokenQueries, foreignWords, queries, wordSalads } from "../../support/store/query-texts.ts";

const CONTEXT: QueryContext = { org: "org_a", now: Date.UTC(2026, 6, 28) };
const SCOPED: QueryContext = { ...CONTEXT, rowScope: { tags: { client: "acme" } } };

let turn = 0;
const seen = { answered: 0, refused: 0 };

function faultIsWellFormed(fault: QueryFault, text: string): void {
  if (!QUERY_FAULT_CODES.includes(fault.code)) throw new Error(`an unknown code ${fault.code}`);
  const { position, length, message } = fault;
  const inside = Number.isInteger(position) && position >= 0 && length >= 0 && position + length <= text.length;
  if (!inside || message === "") throw new Error(`a fault that points nowhere: ${JSON.stringify(fault)}`);
}

function statementIsOurs({ sql, args }: SqlStatement): void {
  const foreign = foreignWords(sql);
  if (foreign.length > 0) throw new Error(`foreign words ${JSON.stringify(foreign)} in ${sql}`);
  if (sql.split("?").length - 1 !== args.length) throw new Error(`${args.length} values for ${sql}`);
  if (!args.includes(CONTEXT.org)) throw new Error(`no org in ${sql}`);
}

/** Any text is either refused with a place in it, or becomes a statement of our own words and bound values. */
function holds(text: string): void {
  turn += 1;
  const context = turn % 2 ? CONTEXT : SCOPED;
  const result = compileQuery(text, context);
  if (!result.ok) {
    faultIsWellFormed(result.error, text);
    seen.refused += 1;
    return;
  }
  seen.answered += 1;
  const { statement, retention } = result.value;
  statementIsOurs(statement);
  if (retention) statementIsOurs(retention);
  if (context.rowScope && !statement.args.includes("acme")) throw new Error(`no scope in ${statement.sql}`);
}

describe("any text", () => {
  const check = (texts: fc.Arbitrary<string>, numRuns: number) =>
    fc.assert(fc.property(texts, holds), { numRuns, ignoreEqualValues: false });

  it("that is a query becomes a statement of our own words, its literals bound: 10,000", () => {
    check(queries(), 10_000);
    expect(seen.answered).toBeGreaterThan(seen.refused);
  });

  it("that was a query before it was broken, or was made to break out: 60,000", () =>
    check(brokenQueries(queries()), 60_000));

  it("of words in any order: 20,000", () => check(wordSalads, 20_000));

  it("of any characters: 10,000", () => check(fc.string({ unit: "binary", maxLength: 60 }), 10_000));

  it("of any length is read in time that grows with it, and up to a limit", () => {
    for (const piece of ["'", "''", "(", "tag.", "a,", "1,", "SELECT ", "-", " "]) holds(piece.repeat(4_000));
    const [most] = [compileQuery("x".repeat(8_001), CONTEXT)];
    expect(most).toMatchObject({ ok: false, error: { code: "query_limit" } });
  });
});
