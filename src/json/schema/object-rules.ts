/** What the keywords for objects demand. */
import { isRecord, type JsonRecord } from "../record.ts";
import { everyOf, isJsonObject, type KeywordRule, type NamedRule } from "./rule.ts";

const hasRequired: KeywordRule = (check, { required }, value, at) => {
  if (!isJsonObject(value)) return true;
  return everyOf(required as readonly string[], check, (name) => {
    check.steps.take();
    return Object.hasOwn(value, name) || check.fail(at, `must have the property ${JSON.stringify(name)}`);
  });
};

function count(keyword: "minProperties" | "maxProperties", words: string): NamedRule {
  return [
    keyword,
    (check, part, value, at) => {
      if (!isJsonObject(value)) return true;
      const { length } = Object.keys(value);
      const limit = Number(part[keyword]);
      return (
        (keyword === "minProperties" ? length >= limit : length <= limit) ||
        check.fail(at, `${words} ${limit} properties`)
      );
    },
  ];
}

const judgesProperties: KeywordRule = (check, { properties }, value, at, judged) => {
  if (!isJsonObject(value)) return true;
  const declared = properties as JsonRecord;
  return everyOf(Object.keys(declared), check, (name) => {
    check.steps.take();
    if (!Object.hasOwn(value, name)) return true;
    judged?.names.add(name);
    return check.accepts(declared[name], value[name], { up: at, key: name });
  });
};

const judgesPatternProperties: KeywordRule = (check, { patternProperties }, value, at, judged) => {
  if (!isJsonObject(value)) return true;
  return everyOf(Object.entries(patternProperties as JsonRecord), check, ([source, part]) => {
    const pattern = check.document.patterns.get(source);
    return everyOf(Object.keys(value), check, (name) => {
      if (!pattern?.test(name, check.steps)) return true;
      judged?.names.add(name);
      return check.accepts(part, value[name], { up: at, key: name });
    });
  });
};

/** Members that `properties` and `patternProperties` leave. */
const judgesOtherProperties: KeywordRule = (check, part, value, at, judged) => {
  if (!isJsonObject(value)) return true;
  const { properties, patternProperties, additionalProperties } = part;
  const declared = isRecord(properties) ? properties : {};
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  return everyOf(Object.keys(value), check, (name) => {
    check.steps.take();
    if (Object.hasOwn(declared, name)) return true;
    if (patterns.some((source) => check.document.patterns.get(source)?.test(name, check.steps))) return true;
    judged?.names.add(name);
    return check.accepts(additionalProperties, value[name], { up: at, key: name });
  });
};

const judgesNames: KeywordRule = (check, { propertyNames }, value, at) =>
  !isJsonObject(value) ||
  everyOf(Object.keys(value), check, (name) => check.accepts(propertyNames, name, { up: at, key: name }));

/** `dependencies` (before 2019-09), `dependentRequired` and `dependentSchemas`: where one member is, others must be. */
function dependent(keyword: string): NamedRule {
  return [
    keyword,
    (check, part, value, at, judged) => {
      if (!isJsonObject(value)) return true;
      return everyOf(Object.entries(part[keyword] as JsonRecord), check, ([name, demand]) => {
        check.steps.take();
        if (!Object.hasOwn(value, name)) return true;
        if (!Array.isArray(demand)) return check.accepts(demand, value, at, judged);
        return hasRequired(check, { required: demand }, value, at, judged);
      });
    },
  ];
}

const judgesUnevaluated: KeywordRule = (check, { unevaluatedProperties }, value, at, judged) => {
  if (!isJsonObject(value)) return true;
  return everyOf(Object.keys(value), check, (name) => {
    check.steps.take();
    if (judged?.names.has(name)) return true;
    judged?.names.add(name);
    return check.accepts(unevaluatedProperties, value[name], { up: at, key: name });
  });
};

export const OBJECT_RULES: readonly NamedRule[] = [
  count("minProperties", "must have at least"),
  count("maxProperties", "must have at most"),
  ["required", hasRequired],
  dependent("dependentRequired"),
  ["additionalProperties", judgesOtherProperties],
  ["properties", judgesProperties],
  ["propertyNames", judgesNames],
  ["patternProperties", judgesPatternProperties],
  dependent("dependencies"),
  dependent("dependentSchemas"),
];

export const UNEVALUATED_PROPERTIES: NamedRule = ["unevaluatedProperties", judgesUnevaluated];
