/** Where a value comes from: followed through variables, parameters' types, class members and files, as far as they say it. */
import {
  ancestorsOf,
  bare,
  childrenOf,
  endOf,
  isFunction,
  keyOf,
  memberChain,
  type NodeOf,
  propertyOf,
  type SourceFile,
  type SyntaxNode,
  startOf,
  walk,
} from "./syntax.ts";

export interface Files {
  /** The file that an import of another file of the project means. */
  resolve(from: SourceFile, specifier: string): SourceFile | undefined;
}

/** A package's export that a value was made by. */
export interface Origin {
  readonly module: string;
  /** `default`, `*`, or the exported name. */
  readonly name: string;
  /** Where it was constructed or called, the first time. */
  readonly made?: { readonly file: SourceFile; readonly node: NodeOf<"NewExpression"> | NodeOf<"CallExpression"> };
}

/** What a name stands for, where it is declared. */
export type Declaration =
  | { readonly kind: "import"; readonly module: string; readonly name: string }
  | { readonly kind: "value"; readonly node: SyntaxNode; readonly destructured: boolean }
  | { readonly kind: "type"; readonly node: SyntaxNode };

const DEEPEST = 24;

export function originOf(file: SourceFile, expression: SyntaxNode, files: Files, depth = 0): Origin | undefined {
  if (depth > DEEPEST) return undefined;
  const next = (node: SyntaxNode, at = file) => originOf(at, node, files, depth + 1);
  const node = bare(expression);
  switch (node.type) {
    case "AwaitExpression":
      return next(node.argument);
    case "NewExpression":
    case "CallExpression": {
      const origin = next(node.callee);
      return origin && (origin.made ? origin : { ...origin, made: { file, node } });
    }
    case "LogicalExpression":
      return next(node.right) ?? next(node.left);
    case "AssignmentExpression":
      return next(node.right);
    case "MemberExpression":
    case "OptionalMemberExpression": {
      if (node.object.type === "ThisExpression") return memberOrigin(file, node, next);
      const origin = next(node.object);
      const name = keyOf(node.property);
      return origin?.name === "*" && name !== undefined ? { ...origin, name } : origin;
    }
    case "Identifier":
      return identifierOrigin(file, node, files, depth);
    default:
      return undefined;
  }
}

function identifierOrigin(
  file: SourceFile,
  node: NodeOf<"Identifier">,
  files: Files,
  depth: number,
): Origin | undefined {
  const declared = declarationOf(file, node);
  if (!declared) return undefined;
  if (declared.kind !== "import") {
    const { node: target } = declared;
    if (isFunction(target)) return returnedOrigin(file, target, files, depth);
    return originOf(file, target, files, depth + 1);
  }
  if (!declared.module.startsWith(".")) return declared;
  const other = files.resolve(file, declared.module);
  const exported = other && exportOf(other, declared.name);
  if (!other || !exported) return undefined;
  if (isFunction(exported)) return returnedOrigin(other, exported, files, depth);
  return originOf(other, exported, files, depth + 1);
}

function returnedOrigin(file: SourceFile, target: SyntaxNode, files: Files, depth: number): Origin | undefined {
  for (const value of returnsOf(target)) {
    const origin = originOf(file, value, files, depth + 1);
    if (origin) return origin;
  }
  return undefined;
}

/** What a function answers, written in it and not in functions within. */
export function returnsOf(target: SyntaxNode): readonly SyntaxNode[] {
  if (!isFunction(target)) return [];
  if (target.body.type !== "BlockStatement") return [target.body];
  const found: SyntaxNode[] = [];
  walk(target.body, (node) => {
    if (isFunction(node)) return false;
    if (node.type === "ReturnStatement" && node.argument) found.push(node.argument);
    return undefined;
  });
  return found;
}

/** `this.client`: from the class's property, its constructor's assignment, or a parameter property. */
function memberOrigin(
  file: SourceFile,
  node: NodeOf<"MemberExpression"> | NodeOf<"OptionalMemberExpression">,
  next: (node: SyntaxNode) => Origin | undefined,
): Origin | undefined {
  const name = keyOf(node.property);
  const owner = [...ancestorsOf(file, node)].find(
    ({ type }) => type === "ClassDeclaration" || type === "ClassExpression",
  );
  if (!owner || name === undefined) return undefined;
  let origin: Origin | undefined;
  walk(owner, (at) => {
    if (origin) return false;
    if ((at.type === "ClassProperty" || at.type === "ClassPrivateProperty") && keyOf(at.key) === name) {
      origin =
        (at.value && next(at.value)) ?? (at.typeAnnotation ? next(typeName(at.typeAnnotation) ?? at) : undefined);
    } else if (at.type === "AssignmentExpression" && at.left.type === "MemberExpression") {
      if (at.left.object.type === "ThisExpression" && keyOf(at.left.property) === name) origin = next(at.right);
    } else if (at.type === "TSParameterProperty" && at.parameter.type === "Identifier" && at.parameter.name === name) {
      const type = at.parameter.typeAnnotation && typeName(at.parameter.typeAnnotation);
      origin = type ? next(type) : undefined;
    }
    return undefined;
  });
  return origin;
}

/** The identifier of a type annotation that is a plain name: `OpenAI`, `LLM.Client`'s `LLM`. */
function typeName(annotation: SyntaxNode): SyntaxNode | undefined {
  if (annotation.type !== "TSTypeAnnotation" || annotation.typeAnnotation.type !== "TSTypeReference") return undefined;
  let name: SyntaxNode = annotation.typeAnnotation.typeName;
  while (name.type === "TSQualifiedName") name = name.left;
  return name;
}

/** The declaration nearest above an identifier. */
export function declarationOf(file: SourceFile, at: NodeOf<"Identifier">): Declaration | undefined {
  for (const scope of ancestorsOf(file, at)) {
    const found = isFunction(scope) ? parameterOf(scope, at.name) : declaredIn(scope, at);
    if (found) return found;
  }
  return undefined;
}

function parameterOf(scope: SyntaxNode, name: string): Declaration | undefined {
  if (!isFunction(scope)) return undefined;
  for (const parameter of scope.params) {
    const inner = parameter.type === "TSParameterProperty" ? parameter.parameter : parameter;
    const target = inner.type === "AssignmentPattern" ? inner.left : inner;
    const fallback = inner.type === "AssignmentPattern" ? inner.right : undefined;
    if (target.type === "Identifier" && target.name === name) {
      const type = target.typeAnnotation ? typeName(target.typeAnnotation) : undefined;
      if (type) return { kind: "type", node: type };
      return { kind: "value", node: fallback ?? parameter, destructured: false };
    }
    if (bindsName(target, name)) return { kind: "value", node: parameter, destructured: true };
  }
  return undefined;
}

function declaredIn(scope: SyntaxNode, { name }: NodeOf<"Identifier">): Declaration | undefined {
  if (scope.type !== "Program" && scope.type !== "BlockStatement" && !scope.type.startsWith("For")) return undefined;
  for (const child of childrenOf(scope)) {
    const statement = exportedPart(child);
    if (statement.type === "ImportDeclaration") {
      for (const specifier of statement.specifiers) {
        if (specifier.local.name === name)
          return { kind: "import", module: statement.source.value, name: importedName(specifier) };
      }
    } else if (statement.type === "VariableDeclaration") {
      const found = declarator(statement, name);
      if (found) return found;
    } else if (statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration") {
      if (statement.id?.name === name) return { kind: "value", node: statement, destructured: false };
    }
  }
  return undefined;
}

function importedName(specifier: NodeOf<"ImportDeclaration">["specifiers"][number]): string {
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  if (specifier.type === "ImportNamespaceSpecifier") return "*";
  return keyOf(specifier.imported) ?? "*";
}

function declarator(statement: NodeOf<"VariableDeclaration">, name: string): Declaration | undefined {
  for (const { id, init } of statement.declarations) {
    if (id.type === "Identifier" && id.name === name) {
      const module = init ? requiredModule(init) : undefined;
      if (module !== undefined) return { kind: "import", module, name: "*" };
      if (init) return { kind: "value", node: init, destructured: false };
      const type = id.typeAnnotation ? typeName(id.typeAnnotation) : undefined;
      return { kind: "value", node: type ?? id, destructured: false };
    }
    const key = boundKey(id, name);
    if (key === undefined || !init) continue;
    const module = requiredModule(init);
    return module === undefined
      ? { kind: "value", node: init, destructured: true }
      : { kind: "import", module, name: key };
  }
  return undefined;
}

/** `require("x")`, and `require("x").default`. */
function requiredModule(init: SyntaxNode): string | undefined {
  const { root } = memberChain(init);
  if (root.type !== "CallExpression" || root.callee.type !== "Identifier" || root.callee.name !== "require")
    return undefined;
  const [specifier] = root.arguments;
  return specifier?.type === "StringLiteral" ? specifier.value : undefined;
}

function bindsName(pattern: SyntaxNode, name: string): boolean {
  return boundKey(pattern, name) !== undefined;
}

/** The key that a pattern reads a name from. */
function boundKey(pattern: SyntaxNode, name: string): string | undefined {
  if (pattern.type !== "ObjectPattern" && pattern.type !== "ArrayPattern") return undefined;
  let key: string | undefined;
  walk(pattern, (node, parent) => {
    if (node.type !== "Identifier" || node.name !== name) return;
    if (parent?.type === "ObjectProperty" && parent.key === node && parent.value !== node) return;
    key ??= parent?.type === "ObjectProperty" ? (keyOf(parent.key) ?? name) : name;
  });
  return key;
}

function exportedPart(statement: SyntaxNode): SyntaxNode {
  const exported = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
  return exported && statement.declaration ? statement.declaration : statement;
}

/** What a file exports under a name. */
export function exportOf(file: SourceFile, name: string): SyntaxNode | undefined {
  for (const statement of file.program.body) {
    if (statement.type === "ExportDefaultDeclaration" && name === "default") {
      const { declaration } = statement;
      return declaration.type === "Identifier" ? valueNamed(file, declaration.name) : declaration;
    }
    if (statement.type !== "ExportNamedDeclaration") continue;
    for (const specifier of statement.specifiers) {
      if (specifier.type === "ExportSpecifier" && keyOf(specifier.exported) === name)
        return valueNamed(file, specifier.local.name);
    }
    if (statement.declaration && valueIn(statement.declaration, name)) return valueIn(statement.declaration, name);
  }
  return commonExportOf(file, name);
}

/** `module.exports = { name }`, `exports.name = …`. */
function commonExportOf(file: SourceFile, name: string): SyntaxNode | undefined {
  for (const statement of file.program.body) {
    if (statement.type !== "ExpressionStatement" || statement.expression.type !== "AssignmentExpression") continue;
    const { left, right } = statement.expression;
    const { root, path } = memberChain(left);
    if (root.type !== "Identifier" || !(root.name === "exports" || (root.name === "module" && path[0] === "exports")))
      continue;
    const key = root.name === "module" ? path[1] : path[0];
    const value = key === undefined ? propertyOf(right, name) : key === name ? right : undefined;
    if (value) return value.type === "Identifier" ? (valueNamed(file, value.name) ?? value) : value;
  }
  return undefined;
}

function valueNamed(file: SourceFile, name: string): SyntaxNode | undefined {
  for (const statement of file.program.body) {
    const value = valueIn(exportedPart(statement), name);
    if (value) return value;
  }
  return undefined;
}

function valueIn(statement: SyntaxNode, name: string): SyntaxNode | undefined {
  if (statement.type === "VariableDeclaration") {
    const found = declarator(statement, name);
    return found && found.kind !== "import" ? found.node : undefined;
  }
  const named = statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration";
  return named && statement.id?.name === name ? statement : undefined;
}

export const within = (inner: SyntaxNode, outer: SyntaxNode): boolean =>
  startOf(inner) >= startOf(outer) && endOf(inner) <= endOf(outer);
