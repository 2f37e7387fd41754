/** What the SDK's public docblocks say, read from its sources. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "@babel/parser";
import type { Comment, Node, Statement, TSInterfaceDeclaration } from "@babel/types";
import { moduleNames } from "./module-exports.ts";
import { projectRoot } from "./source-files.ts";

export interface Documented {
  /** `Rig.run`, `createRig`, … */
  readonly name: string;
  /** It can be called, or is a class. */
  readonly needsExample: boolean;
  /** The docblock before its first `@example`; empty without one. */
  readonly says: string;
  /** Code of each `@example`. */
  readonly examples: readonly string[];
}

const read = (file: string): string => readFileSync(join(projectRoot, file), "utf8");

/** Members of exported interfaces, exported functions and classes, in the order of the index. */
export function documentedSurface(index: string): Documented[] {
  return moduleNames(index, read(index)).passedOn.flatMap(({ from, name }) => {
    const { program } = parse(read(from), { sourceType: "module", plugins: ["typescript"] });
    return program.body.flatMap((statement) => documentedIn(statement, name));
  });
}

function documentedIn(statement: Statement, name: string): Documented[] {
  if (statement.type !== "ExportNamedDeclaration" || !statement.declaration) return [];
  const { declaration } = statement;
  if (!("id" in declaration) || declaration.id?.type !== "Identifier" || declaration.id.name !== name) return [];
  if (declaration.type === "TSInterfaceDeclaration") return membersOf(declaration, name);
  const needsExample = declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration";
  return [{ name, needsExample, ...docOf(statement) }];
}

/** Of overloads the first, which carries the docblock. */
function membersOf({ body }: TSInterfaceDeclaration, owner: string): Documented[] {
  const seen = new Set<string>();
  return body.body.flatMap((member) => {
    if (member.type !== "TSMethodSignature" && member.type !== "TSPropertySignature") return [];
    if (member.key.type !== "Identifier" || seen.has(member.key.name)) return [];
    seen.add(member.key.name);
    const needsExample = member.type === "TSMethodSignature";
    return [{ name: `${owner}.${member.key.name}`, needsExample, ...docOf(member) }];
  });
}

function docOf({ leadingComments }: Node): Pick<Documented, "says" | "examples"> {
  const block = (leadingComments ?? []).findLast(isDocblock);
  const text = (block?.value ?? "").replace(/^\*/, "").replace(/^[ \t]*\* ?/gm, "");
  const [says = "", ...examples] = text.split(/^@example\n/m);
  return { says: says.trim(), examples: examples.map((code) => code.trim()) };
}

function isDocblock({ type, value }: Comment): boolean {
  return type === "CommentBlock" && value.startsWith("*");
}
