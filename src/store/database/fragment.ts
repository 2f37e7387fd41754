import type { Bound } from "../../query/plan.ts";

/** SQL for the engine: text of our own with one `?` per value. Whole numbers are bound as integers, others as reals. */
export interface SqlStatement {
  readonly sql: string;
  readonly args: readonly Bound[];
}

/**
 * A piece of SQL. Its text can come only from a template literal in this code: the constructor is private, `sql` takes
 * the literal's own strings, and every value becomes a placeholder. Therefore no text of a query reaches the engine.
 */
export class Fragment implements SqlStatement {
  readonly sql: string;
  readonly args: readonly Bound[];

  private constructor(text: string, args: readonly Bound[]) {
    this.sql = text;
    this.args = args;
  }

  static template(strings: TemplateStringsArray, ...parts: readonly Fragment[]): Fragment {
    const text = strings.reduce((done, next, index) => done + (parts[index - 1]?.sql ?? "") + next);
    return new Fragment(
      text,
      parts.flatMap((part) => part.args),
    );
  }

  static bind(value: Bound | boolean): Fragment {
    return new Fragment("?", [typeof value === "boolean" ? Number(value) : value]);
  }

  /** Returns the nth name of a family of generated names. */
  static numbered(family: "c" | "k" | "v" | "r" | "n" | "m", index: number): Fragment {
    if (!Number.isInteger(index) || index < 0) throw new RangeError(`not an index: ${index}`);
    return new Fragment(`${family}${index}`, []);
  }

  static join(parts: readonly Fragment[], separator: Fragment): Fragment {
    return new Fragment(
      parts.map((part) => part.sql).join(separator.sql),
      parts.flatMap((part, index) => (index === 0 ? part.args : [...separator.args, ...part.args])),
    );
  }
}

export const sql = Fragment.template;
export const bind = Fragment.bind;
export const numbered = Fragment.numbered;

export const listed = (parts: readonly Fragment[]): Fragment => Fragment.join(parts, sql`, `);

/** Joins all conditions with AND; true where there is none. */
export function allOf(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? sql`1` : Fragment.join(conditions, sql` AND `);
}
