import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gradesFile } from "../../../src/bakeoff/judge/human-grades.ts";
import { storedGrades } from "../../../src/cli/bakeoff/files/grade-file.ts";
import { serveReport } from "../../../src/cli/bakeoff/report/report-server.ts";
import { fiveArms, keepRun, type PageRun, pageOf, runWithSamples } from "../../support/bakeoff/bakeoff-page.ts";
import { chromiumPath, openBrowser } from "../../support/hosts/browser.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

const chromium = chromiumPath();
if (chromium === undefined)
  console.log(
    "skipped: the report in a browser; no chromium is installed (apt-get install chromium, or MODELRIG_CHROMIUM)",
  );

describe.skipIf(chromium === undefined)("the report in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "modelrig-report-"));
  const [plain, sampled] = [join(folder, "plain.html"), join(folder, "sampled.html")];
  let browser: Browser;
  let made: PageRun;

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? "");
    made = await runWithSamples({
      output: (arm, index) => ({
        summary: `${arm === "cheap" ? "short" : "a longer text"} ${index}`,
        hostile: "</script><img src=x onerror=alert(1)>",
        long: "x".repeat(400),
      }),
    });
    writeFileSync(plain, await pageOf(fiveArms()));
    writeFileSync(sampled, await pageOf(made.report, { local: made.local }));
  });
  afterAll(() => browser.close());

  /** Every message of the console, every error and every request that the page caused. */
  async function open(url: string, options: BrowserContextOptions = {}): Promise<{ page: Page; said: string[] }> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.message));
    page.on("request", (request) => {
      if (request.url() !== url && !request.url().startsWith("blob:")) said.push(request.url());
    });
    await page.goto(url);
    return { page, said };
  }
  const fileUrl = (file: string): string => pathToFileURL(file).href;

  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [360, 1280]) {
      it(`fits ${width} px without a word in the console, ${colorScheme}`, async () => {
        for (const file of [plain, sampled]) {
          const { page, said } = await open(fileUrl(file), { viewport: { width, height: 800 }, colorScheme });
          const sizes = await page.evaluate(() => ({
            beyond: document.documentElement.scrollWidth - innerWidth,
            smallest: Math.min(
              ...[...document.querySelectorAll("svg text")].map((text) =>
                Number.parseFloat(getComputedStyle(text).fontSize),
              ),
            ),
            scaled: document.querySelectorAll("svg[viewBox]").length,
            ground: getComputedStyle(document.body).backgroundColor,
            scatter: [...document.querySelectorAll(".scatter")].filter((plot) => plot.getBoundingClientRect().width > 0)
              .length,
          }));
          expect(sizes.beyond).toBeLessThanOrEqual(0);
          expect(sizes.smallest).toBeGreaterThanOrEqual(11);
          expect(sizes.scaled).toBe(0);
          expect(sizes.scatter).toBe(1);
          expect(sizes.ground).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(17, 20, 24)");
          expect(said).toEqual([]);
          await page.context().close();
        }
      });
    }
  }

  it("turns rows into cards on a phone, each figure with its name, and keeps them a table elsewhere", async () => {
    const shape = (page: Page) =>
      page.evaluate(() => {
        const cell = document.querySelectorAll("table.cards tbody td")[1];
        return cell && { display: getComputedStyle(cell).display, name: getComputedStyle(cell, "::before").content };
      });
    const phone = await open(fileUrl(plain), { viewport: { width: 360, height: 800 } });
    expect(await shape(phone.page)).toEqual({ display: "grid", name: '"regret, pts [CI]"' });
    const wide = await open(fileUrl(plain), { viewport: { width: 1280, height: 800 } });
    expect(await shape(wide.page)).toEqual({ display: "table-cell", name: "none" });
  });

  it("has a switch for the theme that outlives a reload", async () => {
    const { page } = await open(fileUrl(plain), { colorScheme: "light" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.click("#theme");
    await page.click("#theme");
    expect(await ground()).toBe("rgb(17, 20, 24)");
    await page.reload();
    expect(await ground()).toBe("rgb(17, 20, 24)");
    await page.click("#theme");
    expect(await ground()).toBe("rgb(255, 255, 255)");
  });

  it("is graded by keyboard: blind first, then named; undone; saved as a file", async () => {
    const { page, said } = await open(fileUrl(sampled));
    const hidden = () => page.locator(".pair.current .who").first().isHidden();
    const progress = () => page.textContent("#progress");
    await page.fill("#grader", "ann");
    await page.locator("#grader").blur();
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(await progress()).toBe("0 of 80 pairs graded");
    expect(await hidden()).toBe(true);

    // Three outputs for one input, in two pairs: names are shown after the last, not before.
    const sides = await page.evaluate(() => {
      const current = (document.querySelector(".pair.current") as HTMLElement).dataset["input"];
      const all = [...document.querySelectorAll<HTMLElement>(".pair")].filter(
        (pair) => pair.dataset["input"] === current,
      );
      return new Set(
        all.flatMap((pair) =>
          [...pair.querySelectorAll<HTMLElement>("[data-side]")].map((side) => side.dataset["side"]),
        ),
      ).size;
    });
    for (let graded = 0; graded < sides; graded += 1) {
      expect(await hidden()).toBe(true);
      await page.keyboard.press(graded === 0 ? "y" : "2");
      if (graded < sides - 1) await page.keyboard.press("n");
    }
    expect(await hidden()).toBe(false);
    expect(await progress()).toBe("2 of 80 pairs graded");
    await page.keyboard.press("u");
    expect(await hidden()).toBe(true);
    await page.keyboard.press("4");

    await page.keyboard.press("d");
    expect(await page.textContent("#mode-name")).toBe("words");
    await page.keyboard.press("?");
    expect(await page.locator("#help").isVisible()).toBe(true);

    const download = page.waitForEvent("download");
    await page.click('[data-do="save"]');
    const saved = gradesFile.parse(JSON.parse(readFileSync(await (await download).path(), "utf8")));
    expect(saved).toMatchObject({ bakeoff: made.report.id, grader: "ann" });
    expect(saved.grades.map(({ score }) => score).sort()).toEqual([...Array(sides - 2).fill(0.25), 0.75, 1].sort());
    expect(saved.grades.every(({ blind, inference }) => blind && inference?.startsWith("inf_"))).toBe(true);
    expect(said).toEqual([]);

    await page.reload();
    expect(await progress()).toBe("2 of 80 pairs graded");
  });

  it("shows the pairs of a tab, and tells agreement only from ten grades on, with its interval", async () => {
    const { page } = await open(fileUrl(sampled));
    await page.click('[data-tab="regression"]');
    expect(await page.locator(".pair:visible").count()).toBe(4);
    await page.click('[data-tab="ungraded"]');
    for (let graded = 0; graded < 9; graded += 1) {
      await page.keyboard.press("n");
      await page.keyboard.press("5");
    }
    expect(await page.textContent("#agreement")).toMatch(/n \d, not shown below 10/);
    for (let graded = 0; graded < 6; graded += 1) {
      await page.keyboard.press("n");
      await page.keyboard.press("5");
    }
    expect(await page.textContent("#agreement")).toMatch(
      /agree on \d+ of \d+ outputs, [\d.]+% \[[\d.]+, [\d.]+\]; kappa .*\d{4}-\d{2}-\d{2}/,
    );
  });

  it("served by the command line, hands its grades over as they are given, and to nobody else", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "modelrig-serve-"));
    const io = fakeIo({ cwd });
    const { report } = made;
    keepRun(cwd, made);
    const server = await serveReport(io, report, { port: 0, pairs: undefined });
    try {
      const { page, said } = await open(server.url);
      await page.fill("#grader", "ann");
      await page.locator("#grader").blur();
      await page.keyboard.press("5");
      await page.waitForFunction(() => document.querySelector("#saved")?.textContent?.includes("kept on this machine"));
      expect(storedGrades(io, report.id)).toMatchObject([{ grader: "ann", grades: [{ score: 1, blind: true }] }]);
      expect(said).toEqual([`${new URL(server.url).origin}/grades`]);

      const post = (headers: Record<string, string>) =>
        fetch(new URL("/grades", server.url), { method: "POST", headers, body: "{}" }).then(({ status }) => status);
      expect(await post({})).toBe(403);
      expect(await post({ "x-modelrig-token": "guess" })).toBe(403);
      const token = new URL(server.url).pathname.slice(1);
      expect(await post({ "x-modelrig-token": token, origin: "https://elsewhere.example" })).toBe(403);
      expect(await post({ "x-modelrig-token": token })).toBe(400);
      expect((await fetch(new URL("/", server.url))).status).toBe(404);
    } finally {
      await server.close();
    }
  });
});
