type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** Returns the same values under the names of JSON and the database: `firstByteMs` becomes `first_byte_ms`. */
export function snakeKeys<T extends object>(of: T): { [Name in keyof T & string as SnakeCase<Name>]: T[Name] } {
  const renamed = Object.entries(of).map(([name, value]) => [snakeCase(name), value]);
  return Object.fromEntries(renamed) as { [Name in keyof T & string as SnakeCase<Name>]: T[Name] };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
