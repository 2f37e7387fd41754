/** Checks that a template parses and uses only variables that the input schema declares. */
import { isRecord } from "../json/record.ts";
import type { BundleDraft } from "./bundle-shape.ts";
import { type Fault, type KeyPath, nearest } from "./fault.ts";
import { parseTemplate, type VariableUse } from "./liquid.ts";
import type { LocatedYaml } from "./located-yaml.ts";
import { CAPABILITY_NAMES, CAPS } from "./render.ts";
import type { Template } from "./route.ts";

/** Checks the template of the route and of each variant against the input schema that they share. */
export function checkTemplates(document: LocatedYaml, draft: BundleDraft): Fault[] {
  const { input } = draft;
  const unreadable = input === undefined && isRecord(document.value) && document.value["input"] !== undefined;
  const templates = [
    { path: ["template"], template: draft.template },
    ...(draft.variants ?? []).map((variant, index) => ({
      path: ["variants", index, "template"],
      template: variant?.template,
    })),
  ];
  const faults: Fault[] = [];
  const used = new Set<string>();
  for (const { path, template } of templates) {
    // Where the input itself is faulty, every variable would look undeclared.
    if (!template || unreadable) continue;
    const check = checkTemplate(document, path, template, input);
    faults.push(...check.faults);
    for (const name of check.used) used.add(name);
  }
  return input === undefined || faults.length > 0 ? faults : [...faults, ...checkInput(document, draft, input, used)];
}

function checkInput(document: LocatedYaml, draft: BundleDraft, input: unknown, used: ReadonlySet<string>): Fault[] {
  const properties = isRecord(input) ? input["properties"] : undefined;
  if (isRecord(properties) && Object.hasOwn(properties, CAPS)) {
    const message = `${CAPS} is the name of the candidate's capability flags; rename this variable`;
    return [document.fault("route.reserved_variable", message, { path: ["input", "properties", CAPS], spot: "key" })];
  }
  const anyTemplate = draft.template ?? draft.variants?.find((variant) => variant?.template)?.template;
  if (!anyTemplate) {
    if (isRecord(document.value) && document.value["template"] !== undefined) return [];
    const message = "input describes the variables of a template, and the route declares no template";
    return [document.fault("route.input_without_template", message, { path: ["input"], spot: "key" })];
  }
  const unused = Object.keys(isRecord(properties) ? properties : {}).filter((name) => !used.has(name));
  return unused.map((name) =>
    document.fault("route.unused_variable", `no template reads ${name}`, {
      path: ["input", "properties", name],
      spot: "key",
      severity: "warning",
    }),
  );
}

interface TemplateCheck {
  readonly faults: readonly Fault[];
  /** Returns the names of input variables that the template reads. */
  readonly used: ReadonlySet<string>;
}

function checkTemplate(document: LocatedYaml, path: KeyPath, template: Template, input: unknown): TemplateCheck {
  const faults: Fault[] = [];
  const used = new Set<string>();
  for (const part of ["system", "cached_context", "user"] as const) {
    const text = template[part];
    if (text === undefined) continue;
    const at = [...path, part];
    const parsed = parseTemplate(text);
    if (!parsed.ok) {
      faults.push(
        document.fault("route.template_syntax", parsed.message, {
          path: at,
          spot: { row: parsed.row, col: parsed.col },
        }),
      );
      continue;
    }
    for (const use of parsed.uses) {
      const root = use.segments[0];
      if (root === undefined) continue;
      if (root !== CAPS) used.add(root);
      const wrong = root === CAPS ? unknownFlag(use) : undeclared(use, input);
      if (wrong) {
        const { message, suggestion } = wrong;
        const spot = { row: use.row, col: use.col };
        faults.push(document.fault("route.undeclared_variable", message, { path: at, spot, suggestion }));
      }
    }
  }
  return { faults, used };
}

interface Wrong {
  readonly message: string;
  readonly suggestion?: string | undefined;
}

function unknownFlag({ segments }: VariableUse): Wrong | undefined {
  const flag = segments[1];
  if (flag === undefined || (CAPABILITY_NAMES as readonly string[]).includes(flag)) return undefined;
  return {
    message: `${CAPS}.${flag} is not a capability flag; there are ${CAPABILITY_NAMES.join(", ")}`,
    suggestion: nearest(flag, CAPABILITY_NAMES),
  };
}

/** Follows a variable into the schema as far as the schema restricts the names. */
function undeclared({ segments }: VariableUse, input: unknown): Wrong | undefined {
  const [root = ""] = segments;
  if (input === undefined) {
    return { message: `the template reads ${root}, but the route declares no input; add input.properties.${root}` };
  }
  let schema: unknown = input;
  for (const [depth, name] of segments.entries()) {
    const properties = isRecord(schema) ? schema["properties"] : undefined;
    const closed = isRecord(schema) && (depth === 0 || schema["additionalProperties"] === false);
    if (!isRecord(properties)) return depth === 0 ? none(root) : undefined;
    if (!Object.hasOwn(properties, name)) {
      if (!closed) return undefined;
      const declared = Object.keys(properties);
      const suggestion = nearest(name, declared);
      const hint = suggestion ? `did you mean ${suggestion}?` : `declared: ${declared.join(", ")}`;
      return {
        message: `${segments.slice(0, depth + 1).join(".")} is not declared in input.properties; ${hint}`,
        suggestion,
      };
    }
    schema = properties[name];
  }
  return undefined;
}

function none(root: string): Wrong {
  return { message: `${root} is not declared: input has no properties` };
}
