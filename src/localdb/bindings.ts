import type { NamedArg, Statement } from "./hrana-request.ts";
import type { SqlValue } from "./hrana-value.ts";
import { parametersOf } from "./sql-text.ts";
import { StatementError } from "./statement-error.ts";

/**
 * Returns the values of a statement's parameters in order of their index. The engine takes a missing value for NULL and
 * ignores what it does not know; here each parameter has exactly one argument, and each argument a parameter. Throws
 * `StatementError`.
 */
export function bindingsOf(sql: string, { args, namedArgs }: Pick<Statement, "args" | "namedArgs">): SqlValue[] {
  const parameters = parametersOf(sql);
  if (namedArgs.length === 0) {
    if (args.length === parameters.length) return [...args];
    throw invalid(
      `the statement has ${counted(parameters.length, "parameter")}, ${counted(args.length, "argument")} came`,
    );
  }
  if (args.length > 0) throw invalid("positional and named arguments cannot be mixed");
  return bindByName(parameters, namedArgs);
}

function bindByName(parameters: readonly (string | null)[], namedArgs: readonly NamedArg[]): SqlValue[] {
  const values = new Map<number, SqlValue>();
  for (const { name, value } of namedArgs) {
    const index = indexOf(parameters, name);
    if (values.has(index)) throw invalid(`the argument ${name} came twice`);
    values.set(index, value);
  }
  return parameters.map((name, index) => {
    const value = values.get(index);
    if (value !== undefined) return value;
    throw invalid(`the parameter ${name ?? `number ${index + 1}`} has no argument`);
  });
}

function indexOf(parameters: readonly (string | null)[], name: string): number {
  const prefixed = /^[:@$?]/.test(name);
  const matching = parameters.flatMap((parameter, index) =>
    parameter !== null && (prefixed ? parameter === name : parameter.slice(1) === name) ? [index] : [],
  );
  const [index, second] = matching;
  if (index === undefined) throw invalid(`the statement has no parameter ${JSON.stringify(name)}`);
  if (second !== undefined) throw invalid(`${name} is the name of several parameters; write it with its prefix`);
  return index;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function invalid(message: string): StatementError {
  return new StatementError("ARGS_INVALID", message);
}
