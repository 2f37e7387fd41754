/** May we ask the user? Stdin and stderr are terminals, CI is unset, and `--no-input` was not given. */
export function isInteractive(facts: {
  readonly stdin: boolean;
  readonly stderr: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly noInput: boolean;
}): boolean {
  const ci = (facts.env["CI"] ?? "").toLowerCase();
  return facts.stdin && facts.stderr && !facts.noInput && (ci === "" || ci === "0" || ci === "false");
}
