import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type NarrowedRoute, narrow } from "../../../src/route/narrow.ts";
import type { Candidate, Route } from "../../../src/route/route.ts";
import { patched, reverseOf, unifiedPatch } from "../../../src/swap/patch.ts";
import { promoteVariant } from "../../../src/swap/promote.ts";

const FILE = `# Owned by the support team.
route: example.support
description:   "Summaries"      # odd spacing stays

candidates:
  # The one that serves today.
  - provider: sim
    model: strong
    params: { temperature: 0.2, max_tokens: 800 }
  - { provider: sim, model: small, trial: true }   # on trial
input:
  type: object
template:
  system: |
    Answer in JSON.
    -- keep this line --
  user: "{{ text }}"
output:
  schema: { type: object,   properties: { a: { type: string } } }
  ladder: [native_strict, coached]
variants:
  - name: cheap
    candidates: [ { provider: sim, model: small } ]
    params: { max_tokens: 300 }
  - name: scaffolded
    template:
      # think first
      system: Think first.
      user: "{{ text }}"
    output: { ladder: [coached] }
`;

const candidate = (model: string, extra: Partial<Candidate> = {}): Candidate => ({
  key: `sim/${model}`,
  provider: "sim",
  model,
  params: {},
  trial: false,
  ...extra,
});

const strong = candidate("strong", { params: { temperature: 0.2, max_tokens: 800 } });
const small = candidate("small", { trial: true });

function narrowed(variant: string): NarrowedRoute {
  const route = {
    name: "example.support",
    candidates: [strong, small],
    template: { user: "{{ text }}" },
    output: { schema: true, ladder: ["native_strict", "coached"] },
    variants: [
      { name: "cheap", candidates: [small], params: { max_tokens: 300 } },
      { name: "scaffolded", template: { system: "Think first.", user: "{{ text }}" }, ladder: ["coached"] },
    ],
  } as unknown as Route;
  const result = narrow(route, variant);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function promoted(variant: string, text = FILE): string {
  const result = promoteVariant(text, narrowed(variant));
  if (!result.ok) throw new Error(result.error.message);
  return result.value.text;
}

describe("promoting a variant", () => {
  it("puts its candidates first with its params, takes them off trial, and keeps the others as fallbacks", () => {
    expect(promoted("cheap")).toMatchInlineSnapshot(`
      "# Owned by the support team.
      route: example.support
      description:   "Summaries"      # odd spacing stays

      candidates:
        # The one that serves today.
        - { provider: sim, model: small, params: { max_tokens: 300 } } # on trial
        - provider: sim
          model: strong
          params: { temperature: 0.2, max_tokens: 800 }
      input:
        type: object
      template:
        system: |
          Answer in JSON.
          -- keep this line --
        user: "{{ text }}"
      output:
        schema: { type: object,   properties: { a: { type: string } } }
        ladder: [native_strict, coached]
      variants:
        - name: cheap
          candidates: [ { provider: sim, model: small } ]
          params: { max_tokens: 300 }
        - name: scaffolded
          template:
            # think first
            system: Think first.
            user: "{{ text }}"
          output: { ladder: [coached] }
      "
    `);
  });

  it("leaves every line outside the changed keys as it was, comments and odd spacing included", () => {
    const before = FILE.split("\n");
    const kept = promoted("cheap")
      .split("\n")
      .filter((line) => before.includes(line));
    for (const line of ["# Owned by the support team.", 'description:   "Summaries"      # odd spacing stays']) {
      expect(kept).toContain(line);
    }
    expect(promoted("cheap").split("input:")[1]).toBe(FILE.split("input:")[1]);
  });

  it("moves a variant's template and ladder into the route", () => {
    const text = promoted("scaffolded");
    expect(text).toMatchInlineSnapshot(`
      "# Owned by the support team.
      route: example.support
      description:   "Summaries"      # odd spacing stays

      candidates:
        # The one that serves today.
        - provider: sim
          model: strong
          params: { temperature: 0.2, max_tokens: 800 }
        - { provider: sim, model: small, trial: true }   # on trial
      input:
        type: object
      template:
        # think first
        system: Think first.
        user: "{{ text }}"
      output:
        schema: { type: object,   properties: { a: { type: string } } }
        ladder: [ coached ]
      variants:
        - name: cheap
          candidates: [ { provider: sim, model: small } ]
          params: { max_tokens: 300 }
        - name: scaffolded
          template:
            # think first
            system: Think first.
            user: "{{ text }}"
          output: { ladder: [coached] }
      "
    `);
  });

  it("names the variants that inherit the new template", () => {
    const result = promoteVariant(FILE, narrowed("scaffolded"));
    expect(result.ok && result.value.notes).toContain(
      "variants without a template of their own get the new one: cheap",
    );
  });

  it("writes a comment that follows the list once", () => {
    const text = promoted("cheap", FILE.replace("input:\n", "  # after the list\n\n# before the next key\ninput:\n"));
    expect(text.match(/# after the list/g)).toHaveLength(1);
    expect(text.match(/# before the next key/g)).toHaveLength(1);
  });

  it("keeps the line endings of the file", () => {
    const text = promoted("cheap", FILE.replaceAll("\n", "\r\n"));
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  it("refuses a variant the file does not declare", () => {
    const result = promoteVariant(FILE.replaceAll("name: cheap", "name: other"), narrowed("cheap"));
    expect(result).toMatchObject({ ok: false, error: { class: "bad_request" } });
  });
});

describe("a swap's patch", () => {
  for (const [kind, text, path] of [
    ["a plain file", FILE, "routes/example.support.yaml"],
    ["a file without a final line break", FILE.trimEnd(), "routes/example.support.yaml"],
    ["CRLF line endings", FILE.replaceAll("\n", "\r\n"), "routes/example.support.yaml"],
    ["a folder with a space in its name", FILE, "my routes/example.support.yaml"],
  ] as const) {
    it(`is accepted by git apply and taken back by its reverse: ${kind}`, () => {
      const after = promoted("scaffolded", text);
      const patch = unifiedPatch(path, text, after);
      const folder = scratchRepository(path, text);
      git(folder, ["apply", "-"], patch);
      expect(readFileSync(join(folder, path), "utf8")).toBe(after);
      git(folder, ["apply", "-"], reverseOf(path, patch));
      expect(readFileSync(join(folder, path), "utf8")).toBe(text);
    });
  }

  it("does not apply to a file that has changed underneath", () => {
    const patch = unifiedPatch("r.yaml", FILE, promoted("cheap"));
    expect(patched(FILE.replace("temperature: 0.2", "temperature: 0.9"), patch)).toBeUndefined();
    expect(patched(FILE, patch)).toBe(promoted("cheap"));
  });
});

function scratchRepository(path: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "modelrig-swap-"));
  git(folder, ["init", "-q"]);
  git(folder, ["config", "core.autocrlf", "false"]);
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
  return folder;
}

function git(cwd: string, args: readonly string[], input = ""): void {
  execFileSync("git", args, { cwd, input, stdio: ["pipe", "pipe", "pipe"] });
}

describe("a file that uses anchors", () => {
  const one = (name: string) => candidate(name, { params: { max_tokens: 5 } });
  const promote = (text: string, template?: { user: string }) => {
    const cheap = { name: "cheap", candidates: [one("small")], ...(template && { template }) };
    const route = { name: "r", candidates: [one("strong"), one("small")], variants: [cheap] };
    const chosen = narrow(route as unknown as Route, "cheap");
    if (!chosen.ok) throw new Error(chosen.error.message);
    return promoteVariant(text, chosen.value);
  };
  const CHEAP = "variants:\n  - { name: cheap, candidates: [{ provider: sim, model: small }] }\n";

  it.each([
    [
      "params shared by alias are written out",
      `candidates:\n  - { provider: sim, model: strong, params: &p { max_tokens: 5 } }\n  - { provider: sim, model: small, params: *p }\n${CHEAP}`,
      `candidates:\n  - { provider: sim, model: small, params: { max_tokens: 5 } }\n  - { provider: sim, model: strong, params: &p { max_tokens: 5 } }\n${CHEAP}`,
    ],
    [
      "candidates given by alias are found and written out",
      "variants:\n  - { name: cheap, candidates: [&s { provider: sim, model: small, params: { max_tokens: 5 } }] }\ncandidates:\n  - { provider: sim, model: strong }\n  - *s\n",
      "variants:\n  - { name: cheap, candidates: [&s { provider: sim, model: small, params: { max_tokens: 5 } }] }\ncandidates:\n  - { provider: sim, model: small, params: { max_tokens: 5 } }\n  - { provider: sim, model: strong }\n",
    ],
  ])("%s", (_what, before, after) => {
    expect(promote(before)).toMatchObject({ ok: true, value: { text: after } });
  });

  it("gives a template named by alias in full, its anchor left where it was", () => {
    const rest = `candidates: [{ provider: sim, model: small }, { provider: sim, model: strong }]\ntemplate: { user: a }\n`;
    const variants = "variants:\n  - { name: other, template: &o { user: b } }\n  - { name: cheap, template: *o }\n";
    const made = promote(rest + variants, { user: "b" });
    expect(made.ok && made.value.text).toContain("\ntemplate: { user: b }\n");
    expect(made.ok && made.value.text.endsWith(variants)).toBe(true);
  });

  it("is refused, not broken, where what would be replaced is referred to elsewhere", () => {
    const text = `candidates: [{ provider: sim, model: small }]\ntemplate: &t { user: a }\nvariants:\n  - { name: cheap, template: { user: b } }\n  - { name: other, template: *t }\n`;
    expect(promote(text, { user: "b" })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("alias") },
    });
  });
});
