/** Reading of SQL text as far as the wire needs it: where parameters are, and whether more than one statement is there. */

/** Strings, quoted names and comments, parameters, and the end of a statement, in the order SQLite's tokenizer sees them. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?\d*|[:@$](?:[A-Za-z0-9_$\u0080-\uffff]|::)+(?:\([^\s)]*\))?|[A-Za-z0-9_$\u0080-\uffff]+|\S/g;

interface Token {
  readonly text: string;
  /** UTF-16 offset in the SQL text. */
  readonly at: number;
}

/** Returns the tokens of the text in order, comments left out. */
export function tokensOf(sql: string): readonly Token[] {
  return [...sql.matchAll(TOKEN)]
    .map((match) => ({ text: match[0], at: match.index }))
    .filter(({ text }) => !text.startsWith("--") && !text.startsWith("/*"));
}

/** The highest number SQLite allows after a `?`. */
const HIGHEST_PARAMETER = 32_766;

/**
 * Returns the names of the parameters in order of their index, with their prefix; `null` for a plain `?` and for a number
 * that is skipped. The engine has accepted the text: a number it would refuse is left out.
 */
export function parametersOf(sql: string): (string | null)[] {
  const names: (string | null)[] = [];
  for (const { text: parameter } of tokensOf(sql)) {
    if (!/^[?:@$]./.test(parameter) && parameter !== "?") continue;
    if (parameter === "?") {
      names.push(null);
    } else if (parameter.startsWith("?")) {
      const index = Number(parameter.slice(1));
      if (index < 1 || index > HIGHEST_PARAMETER) continue;
      while (names.length < index) names.push(null);
      names[index - 1] = parameter;
    } else if (!names.includes(parameter)) {
      names.push(parameter);
    }
  }
  return names;
}

/** Returns whether the text holds no statement, one, or more. */
export function statementCount(sql: string): "none" | "one" | "many" {
  // Bodies of triggers hold semicolons; the engine itself refuses what follows a trigger's END.
  const trigger = /^\s*create\s+(?:temp(?:orary)?\s+)?trigger\b/i.test(sql);
  let statements = 0;
  let inside = false;
  for (const { text } of tokensOf(sql)) {
    if (text === ";") {
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
  const words = tokensOf(sql).map(({ text }) => text.toLowerCase());
  const [first = "", second = ""] = words;
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
      return pragmaKind(words);
    case "with":
      return words.some((word, at) => isWriteVerb(word, words[at + 1])) ? "write" : "read";
    default:
      return "write";
  }
}

/** Pragmas whose argument names what to look at. The argument of any other is a value to set. */
const LOOKING_PRAGMAS: ReadonlySet<string> = new Set([
  ...["table_info", "table_xinfo", "table_list", "index_info", "index_xinfo", "index_list"],
  ...["foreign_key_list", "foreign_key_check", "integrity_check", "quick_check"],
]);

/** `pragma name`, `pragma name = value`, `pragma name(value)`, the name perhaps after its schema and a dot. */
function pragmaKind(words: readonly string[]): "read" | "write" {
  const name = words[2] === "." ? words[3] : words[1];
  if (name !== undefined && LOOKING_PRAGMAS.has(name)) return "read";
  return words.includes("=") || words.includes("(") ? "write" : "read";
}

function isWriteVerb(word: string, next: string | undefined): boolean {
  return word === "insert" || word === "update" || word === "delete" || (word === "replace" && next === "into");
}
