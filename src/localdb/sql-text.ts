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

/** Returns the statements of the text in order, without their semicolons; a trigger's body belongs to its statement. */
export function statementsIn(sql: string): readonly string[] {
  const statements: string[] = [];
  let words: string[] = [];
  let start = 0;
  let end = 0;
  let cases = 0;
  let bodyEnded = false;
  const close = (): void => {
    if (words.length > 0) statements.push(sql.slice(start, end));
    words = [];
    cases = 0;
    bodyEnded = false;
  };
  for (const { text, at } of tokensOf(sql)) {
    if (text === ";" && (!isTrigger(words) || bodyEnded)) {
      close();
      continue;
    }
    if (words.length === 0) start = at;
    end = at + text.length;
    const word = text.toLowerCase();
    // Only the first words tell what the statement is.
    if (words.length < 3) words.push(word);
    if (word === "case") cases += 1;
    else if (word === "end" && cases > 0) cases -= 1;
    else if (word === "end") bodyEnded = true;
  }
  close();
  return statements;
}

function isTrigger([first, second = "", third]: readonly string[]): boolean {
  return first === "create" && (second === "trigger" || (/^temp(?:orary)?$/.test(second) && third === "trigger"));
}

/**
 * Returns the same statement with each plain `?` written with its number, so that a part of it can be repeated. The
 * engine has accepted the text.
 */
export function numberedParameters(sql: string): string {
  let highest = 0;
  let numbered = "";
  let copied = 0;
  const known = new Set<string>();
  for (const { text, at } of tokensOf(sql)) {
    if (text === "?") {
      highest += 1;
      numbered += `${sql.slice(copied, at)}?${highest}`;
      copied = at + 1;
    } else if (/^\?\d+$/.test(text)) {
      highest = Math.max(highest, Number(text.slice(1)));
    } else if (/^[:@$]./.test(text) && !known.has(text)) {
      known.add(text);
      highest += 1;
    }
  }
  return numbered + sql.slice(copied);
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
