/** Reading of SQL text as far as the wire needs it: where parameters are, and whether more than one statement is there. */

/** Strings, quoted names and comments, parameters, and the end of a statement, in the order SQLite's tokenizer sees them. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(\?\d*|[:@$][A-Za-z0-9_$]+)|(;)|[A-Za-z0-9_$\u0080-\uffff]+|\S/g;

/** Names of the parameters in order of their index; `null` for a plain `?`. */
export function parametersOf(sql: string): (string | null)[] {
  const names: (string | null)[] = [];
  for (const [, parameter] of sql.matchAll(TOKEN)) {
    if (parameter === undefined) continue;
    if (parameter === "?") {
      names.push(null);
    } else if (parameter.startsWith("?")) {
      const index = Number(parameter.slice(1));
      while (names.length < index) names.push(null);
      names[index - 1] = parameter;
    } else if (!names.includes(parameter)) {
      names.push(parameter);
    }
  }
  return names;
}

/** What a statement is in the way of: nothing, a second statement, or there is none at all. */
export function statementCount(sql: string): "none" | "one" | "many" {
  // Bodies of triggers hold semicolons; the engine itself refuses what follows a trigger's END.
  const trigger = /^\s*create\s+(?:temp(?:orary)?\s+)?trigger\b/i.test(sql);
  let statements = 0;
  let inside = false;
  for (const [token, , end] of sql.matchAll(TOKEN)) {
    if (token.startsWith("--") || token.startsWith("/*")) continue;
    if (end !== undefined) {
      inside = false;
    } else if (!inside) {
      inside = true;
      statements += 1;
      if (trigger) return "one";
      if (statements > 1) return "many";
    }
  }
  return statements === 0 ? "none" : "one";
}

/** By its keywords: SQLite reserves those that write, so that no name is spelled like them without quotes. */
export function statementKind(sql: string): "read" | "write" | "explain" {
  const words = [...sql.matchAll(TOKEN)].map(([token]) => token.toLowerCase());
  const [first = "", second = ""] = words.filter((word) => !word.startsWith("--") && !word.startsWith("/*"));
  switch (first) {
    case "explain":
      return "explain";
    case "select":
    case "values":
    case "commit":
    case "end":
    case "rollback":
    case "savepoint":
    case "release":
      return "read";
    case "begin":
      return second === "immediate" || second === "exclusive" ? "write" : "read";
    case "pragma":
      return words.includes("=") || words.includes("(") ? "write" : "read";
    case "with":
      return words.some((word, at) => isWriteVerb(word, words[at + 1])) ? "write" : "read";
    default:
      return "write";
  }
}

function isWriteVerb(word: string, next: string | undefined): boolean {
  return word === "insert" || word === "update" || word === "delete" || (word === "replace" && next === "into");
}
