import { EXIT } from "./command.ts";

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: "done",
  unexpected: "unexpected failure",
  usage: "usage error, or an answer was needed and there was no terminal to ask on",
  no: "checked, and the answer is no: routes invalid, gate not met",
  auth: "no key, key refused, or credentials missing",
  unreachable: "the gateway or the database could not be reached",
  partial: "partial or not verified: budget reached, or interrupted after results",
  interrupted: "interrupted",
};

/** Text of `modelrig help exit-codes`. */
export function exitCodesHelp(): string {
  const lines = (Object.keys(EXIT) as (keyof typeof EXIT)[]).map(
    (name) => `${String(EXIT[name]).padStart(4)}  ${MEANINGS[name]}`,
  );
  return `Exit codes\n${lines.join("\n")}\n`;
}
