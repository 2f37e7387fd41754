import { describe, expect, it } from "vitest";
import { compileAll } from "../../../src/config/compile-all.ts";
import { BUILTIN_PROVIDERS } from "../../../src/provider/builtin.ts";

const context = { at: new Date("2026-12-01T00:00:00Z"), readFile: () => undefined };

describe("the compiled project", () => {
  it.each(BUILTIN_PROVIDERS.filter(({ simulated }) => !simulated))(
    "is plain JSON where it gives $name another address",
    async ({ name }) => {
      const text = JSON.stringify({ providers: { [name]: { base_url: "http://127.0.0.1:1/v1" } } });
      const compiled = await compileAll([], { file: "modelrig.yaml", text }, context);
      expect(compiled.ok).toBe(true);
      if (compiled.ok) expect(compiled.value).toStrictEqual(JSON.parse(JSON.stringify(compiled.value)));
    },
  );
});
