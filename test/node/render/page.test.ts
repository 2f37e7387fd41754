import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { html, jsonMarkup, shown } from "../../../src/render/page/html.ts";
import { DARK, LIGHT, type Theme } from "../../../src/render/page/theme.ts";
import { fiveArms, pageOf, runWithSamples } from "../../support/bakeoff/bakeoff-page.ts";

/** Text of a piece of markup as a reader sees it, without plots, scripts and styles. */
function textOf(markup: string): string {
  return markup
    .replace(/<(svg|script|style)\b[\s\S]*?<\/\1>/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, " ");
}

/** The innermost blocks of these kinds. */
function blocks(page: string): string[] {
  const body = page.slice(page.indexOf("<main>"), page.indexOf("</main>"));
  return [...body.matchAll(/<(tr|li|p|figcaption)\b[^>]*>((?:(?!<(?:tr|li|p|figcaption)\b)[\s\S])*?)<\/\1>/g)].map(
    (match) => textOf(match[2] ?? ""),
  );
}

const pages = async (): Promise<string[]> => {
  const { report, local } = await runWithSamples();
  const figuresOnly = fiveArms({ regrets: [], reference: undefined, judge: undefined, metric: "conformance" });
  const costFirst = { ...figuresOnly, arms: figuresOnly.arms.filter(({ role }) => role !== "reference") };
  return Promise.all([pageOf(fiveArms()), pageOf(costFirst), pageOf(report, { local })]);
};

describe("the page of a bake-off", () => {
  it("is made of reports that fit their schema", async () => {
    expect(bakeoffReport.safeParse(fiveArms()).error).toBeUndefined();
    expect(bakeoffReport.safeParse((await runWithSamples()).report).error).toBeUndefined();
  });

  it("reaches nothing outside itself, and its policy forbids it to", async () => {
    for (const page of await pages()) {
      expect(page).not.toMatch(/(?:src|href|action|poster|data)\s*=\s*["']?(?:https?:)?\/\//i);
      expect(page).not.toMatch(/@import|(?<!Object)url\(|<link|<iframe|<img|<object|\sstyle="|\son\w+="/i);
      const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
      expect(policy).toMatch(/^default-src &#39;none&#39;; /);
      expect(policy).not.toMatch(/unsafe|connect-src|\*/);
    }
  });

  it("admits exactly its own script and style", async () => {
    const hash = (text: string): string => createHash("sha256").update(text).digest("base64");
    for (const page of await pages()) {
      const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? "");
      const styles = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map((match) => match[1] ?? "");
      expect([scripts.length, styles.length]).toEqual([1, 1]);
      const policy = textOf(`${/content="(default-src[^"]*)"/.exec(page)?.[1]}`);
      expect(policy).toContain(`script-src 'sha256-${hash(scripts[0] ?? "")}'`);
      expect(policy).toContain(`style-src 'sha256-${hash(styles[0] ?? "")}'`);
    }
  });

  it("says first whether the result is whole, and of a partial one that it cannot propose", async () => {
    expect(textOf(await pageOf(fiveArms()))).toContain("PARTIAL: cannot propose");
    const { report } = await runWithSamples();
    const text = textOf(await pageOf(report));
    expect(text).not.toContain("PARTIAL");
    expect(text).toContain("SIMULATED: figures about a simulation");
  });

  it("tells what limits the result before the result", async () => {
    const text = textOf(await pageOf(fiveArms()));
    const order = [
      "What limits this result",
      "222 of 260 pairs have no score",
      "What it shows",
      "Matrix",
      "Gate, clause by clause",
    ];
    const places = order.map((words) => text.indexOf(words));
    expect(places.every((place) => place > 0)).toBe(true);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    for (const note of [
      "could not be used, so no sample",
      "260 inputs of 130 customers",
      "each counts as not conformant",
      "our own estimate",
    ])
      expect(text).toContain(note);
  });

  it("names every clause of every gate with its outcome and its reason", async () => {
    const report = fiveArms();
    const page = await pageOf(report);
    const gate = textOf(page.slice(page.indexOf('id="gate"'), page.indexOf('id="samples"')));
    for (const { clauses } of report.gate.verdicts) {
      for (const { clause, reason } of clauses) {
        expect(gate).toContain(clause.replace(/_/g, " "));
        expect(gate).toContain(reason);
      }
    }
    const met = report.gate.verdicts.flatMap(({ clauses }) => clauses).filter((clause) => clause.met).length;
    expect(gate.split("✓ met")).toHaveLength(met + 1);
  });

  it("puts words where there is no figure, never a zero", async () => {
    const report = fiveArms();
    const bare = {
      ...report,
      arms: report.arms.map((arm) =>
        arm.arm === "cheap"
          ? { ...arm, effective: undefined, effective_note: "unpriced: 2 calls", latency_ms: undefined }
          : arm,
      ),
    };
    const text = textOf(await pageOf(bare));
    expect(text).toContain("unpriced: 2 calls");
    expect(text).toContain("Not in this plot: cheap (unpriced: 2 calls)");
    expect(text).toContain("no answer");
    expect(text).not.toMatch(/NaN|undefined|Infinity|\[object/);
  });
});

describe("what the page claims", () => {
  it("holds no superlative and no promise", async () => {
    for (const page of await pages())
      expect(textOf(page)).not.toMatch(
        /\b(best|winners?|wins|proven|guarantee\w*|significant\w*|superior|optimal|flawless)\b/i,
      );
  });

  it("says no rate and no regret without what it was measured on", async () => {
    let claims = 0;
    for (const page of await pages()) {
      for (const block of blocks(page)) {
        if (!/\d%|\d pts|[+\u2212]\d+\.\d/.test(block)) continue;
        claims += 1;
        expect(block).toMatch(/\bn \d+|\d+ of \d+|\d+ (more )?(pairs|inputs|calls|outputs|sent)/);
      }
    }
    expect(claims).toBeGreaterThan(60);
  });

  it("dates every part that holds figures", async () => {
    for (const page of await pages()) {
      for (const section of page.split("<section").slice(1)) {
        const text = textOf(section);
        if (/\d%|\d pts|\$\d/.test(text) && !text.includes("What limits this result"))
          expect(text).toMatch(/\b\d{4}-\d{2}-\d{2}\b/);
      }
    }
  });

  it("gives every measured figure an interval, or says that there is none, and an n", async () => {
    let figures = 0;
    for (const page of await pages()) {
      for (const [, figure = ""] of page.matchAll(
        /<span class="measured"[^>]*>([\s\S]*?<span class="n">[^<]*<\/span>)/g,
      )) {
        figures += 1;
        expect(textOf(figure)).toMatch(/\[.+, .+\]|no interval/);
        expect(textOf(figure)).toMatch(/n \d+|\d+ of \d+|\d+ (pairs|calls)/);
      }
    }
    expect(figures).toBeGreaterThan(50);
  });
});

const HOSTILE = [
  `</script><script>alert(1)</script>`,
  `<img src=x onerror=alert(1)>`,
  `"><svg onload=alert(1)>`,
  `</pre></article><style>*{display:none}</style>`,
  `<!--`,
  `\u202egnp.exe\u2066\u200b\u0000\u001b[31m`,
  `lone \ud800 and \udfff`,
  `&lt;already&gt; &#60;`,
  `\u2028\u2029`,
  `${"x".repeat(50_000)}<b>`,
  "😀".repeat(12_000),
];

describe("hostile text in inputs and outputs", () => {
  it("never becomes markup, whatever it holds", async () => {
    const { report, local } = await runWithSamples({
      inputs: HOSTILE.length + 10,
      output: (arm, index) => ({ [HOSTILE[index] ?? "k"]: HOSTILE[index] ?? "plain", arm: [HOSTILE[index], arm] }),
      variables: (index) => ({ [HOSTILE[index] ?? "k"]: HOSTILE[index] ?? "plain" }),
    });
    const tame = await runWithSamples({
      inputs: HOSTILE.length + 10,
      output: (arm) => ({ k: "plain", arm: ["x", arm] }),
    });
    const [page, plain] = [await pageOf(report, { local }), await pageOf(tame.report, { local: tame.local })];
    const tags = (text: string): string[] =>
      [...new Set([...text.matchAll(/<\/?([a-z]\w*)/g)].map((match) => match[1] ?? ""))].sort();
    expect(tags(page).filter((tag) => !tags(plain).includes(tag) && !["del", "ins"].includes(tag))).toEqual([]);
    for (const tag of ["script", "style", "article"])
      expect(page.split(`<${tag}`)).toHaveLength(plain.split(`<${tag}`).length);
    expect(/<!--|<[a-z]+[^>]*\son\w+=/.exec(page)).toBeNull();
    expect(page.isWellFormed()).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be left
    expect(/[\u0000\u001b\u202a-\u202e\u2066-\u2069\u200b]/.exec(page)).toBeNull();
    expect(page.includes("[U+202E]gnp.exe")).toBe(true);
    expect(page.includes("more characters are in the file of outputs")).toBe(true);
  });

  it("is told by code where it cannot be seen, and left alone where it can", () => {
    expect(shown("a\u202eb\u0007")).toBe("a[U+202E]b[U+0007]");
    expect(shown("naïve 😀 family 👩‍👩‍👧\n\tnext")).toBe("naïve 😀 family 👩‍👩‍👧\n\tnext");
    expect(html`<p title="${`"'<>&`}">`.text).toBe(`<p title="&#34;&#39;&#60;&#62;&#38;">`);
  });

  it("stays inside a script's JSON, and is the same when read", () => {
    const value = { text: `</script><!--\u2028${"\ud83d\ude00"}` };
    const { text } = jsonMarkup(value);
    expect(text).not.toMatch(/[<>\u2028]/);
    expect(JSON.parse(text)).toEqual(value);
  });
});

/** WCAG 2.2 contrast ratio. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe.each([
  ["light", LIGHT],
  ["dark", DARK],
] as [string, Theme][])("the %s theme", (_, theme) => {
  it("has marks and lines with meaning at 3:1 or more on everything they stand on", () => {
    for (const ground of [theme.ground, theme.beyond])
      for (const mark of [theme.within, theme.worse, theme.open, theme.warn, theme.rule, ...theme.series])
        expect(contrast(mark, ground)).toBeGreaterThanOrEqual(3);
  });

  it("has text at 4.5:1 or more", () => {
    for (const ground of [theme.ground, theme.raised, theme.beyond])
      for (const text of [theme.ink, theme.quiet]) expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
    for (const tone of [theme.within, theme.worse, theme.open, theme.warn]) {
      expect(contrast(tone, theme.ground)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(tone, theme.raised)).toBeGreaterThanOrEqual(4.5);
    }
    for (const ground of [theme.added, theme.removed]) expect(contrast(theme.ink, ground)).toBeGreaterThanOrEqual(4.5);
  });
});
