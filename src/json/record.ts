/** Reading of untyped JSON: each reader answers `undefined` for anything of another type. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function recordAt(value: unknown, key: string): JsonRecord | undefined {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : undefined;
}

export function arrayAt(value: unknown, key: string): readonly unknown[] | undefined {
  const found = isRecord(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : undefined;
}

export function stringAt(value: unknown, key: string): string | undefined {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === "string" ? found : undefined;
}

export function numberAt(value: unknown, key: string): number | undefined {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

export function booleanAt(value: unknown, key: string): boolean | undefined {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === "boolean" ? found : undefined;
}
