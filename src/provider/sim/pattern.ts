/**
 * Generates a text that matches a simple regular expression: literals, classes, groups, alternatives, counted repeats.
 */

/**
 * Returns undefined where the pattern uses more than that. The caller checks the result against the real expression.
 */
export function sampleOf(pattern: string): string | undefined {
  const parser = new Sampler(pattern);
  const text = parser.alternatives();
  return text !== undefined && parser.done ? text : undefined;
}

const LONGEST = 10_000;

class Sampler {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get done(): boolean {
    return this.#at >= this.#pattern.length;
  }

  /** Uses the first alternative; the others are read and ignored. */
  alternatives(): string | undefined {
    const first = this.#sequence();
    while (this.#peek() === "|") {
      this.#at += 1;
      if (this.#sequence() === undefined) return undefined;
    }
    return first;
  }

  #sequence(): string | undefined {
    let text = "";
    for (let char = this.#peek(); char !== undefined && char !== "|" && char !== ")"; char = this.#peek()) {
      const atom = this.#atom(char);
      if (atom === undefined) return undefined;
      const times = this.#repeats();
      if (text.length + atom.length * times > LONGEST) return undefined;
      text += atom.repeat(times);
    }
    return text;
  }

  #atom(char: string): string | undefined {
    this.#at += 1;
    switch (char) {
      case "^":
      case "$":
        return "";
      case ".":
        return "a";
      case "\\":
        return this.#escape();
      case "[":
        return this.#class();
      case "(":
        return this.#group();
      default:
        return "*+?{".includes(char) ? undefined : char;
    }
  }

  #group(): string | undefined {
    if (this.#pattern.startsWith("?:", this.#at)) this.#at += 2;
    else if (this.#peek() === "?") return undefined;
    const inner = this.alternatives();
    if (this.#peek() !== ")") return undefined;
    this.#at += 1;
    return inner;
  }

  #class(): string | undefined {
    const end = this.#pattern.indexOf("]", this.#at + 1);
    if (end === -1) return undefined;
    const body = this.#pattern.slice(this.#at, end);
    this.#at = end + 1;
    const matches = new RegExp(`[${body}]`);
    return (
      [..."a0A1b_- .,"].find((candidate) => matches.test(candidate)) ?? (body.startsWith("^") ? undefined : body[0])
    );
  }

  #escape(): string | undefined {
    const char = this.#peek();
    this.#at += 1;
    if (char === undefined) return undefined;
    const known: Readonly<Record<string, string>> = {
      d: "1",
      w: "a",
      s: " ",
      D: "a",
      W: "-",
      S: "a",
      b: "",
      n: "\n",
      t: "\t",
    };
    return known[char] ?? (/[A-Za-z0-9]/.test(char) ? undefined : char);
  }

  #repeats(): number {
    const rest = this.#pattern.slice(this.#at);
    const counted = /^\{(\d+)(?:,\d*)?\}\??|^([*+?])\??/.exec(rest);
    if (!counted) return 1;
    this.#at += counted[0].length;
    return counted[1] !== undefined ? Math.min(Number(counted[1]), LONGEST) : counted[2] === "+" ? 1 : 0;
  }

  #peek(): string | undefined {
    return this.#pattern[this.#at];
  }
}
