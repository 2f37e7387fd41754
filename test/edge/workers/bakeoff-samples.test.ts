import { afterEach, describe, expect, inject, test } from "vitest";
import { LONGEST_KEPT, MOST_KEPT_AT_ONCE } from "../../../src/bakeoff/execution/kept-sample.ts";
import type { BakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { lookOf, reportOf } from "../../support/bakeoff/recorded-report.ts";
import { type Gateway, openGateway, route } from "../gateway.ts";

const opened: Gateway[] = [];
const open = (key?: string): Gateway => {
  const gateway = openGateway({ routes: [route("demo.live", ["up/echo"])], ...(key !== undefined && { key }) });
  opened.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

const post = (path: string, body: unknown, key?: string) =>
  open(key).fetch(path, { method: "POST", body: JSON.stringify(body) });
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;

/** Its look first, then the report. */
async function record(report: BakeoffReport, query = ""): Promise<Response> {
  expect((await post(`/v1/evidence/${report.route}`, lookOf(report))).status).toBe(200);
  return post(`/v1/bakeoffs${query}`, report);
}

async function recorded(): Promise<string> {
  const report = reportOf({ effective: { usd_per_1k: 6 } });
  expect((await record(report)).status).toBe(201);
  return `/v1/bakeoffs/${report.id}/samples`;
}

const sample = (more: object = {}) => ({ input: "cap_1", arm: "cheap", request: "{}", output: "text", ...more });

describe("kept outputs of a bake-off", () => {
  test("are kept once each, listed, and gone when they are deleted", async () => {
    const path = await recorded();
    const quality = { metric: "golden", score: 0.5 };
    expect(await (await post(path, { samples: [sample({ quality }), sample({ arm: "default" })] })).json()).toEqual({
      kept: 2,
    });
    expect((await post(path, { samples: [sample({ output: "newer", quality })] })).status).toBe(201);
    const listed = (await (await open().fetch(path)).json()) as { samples: Record<string, unknown>[] };
    expect(listed.samples).toEqual([
      { ...sample({ output: "newer", quality }), created_at: expect.any(String) },
      { ...sample({ arm: "default" }), created_at: expect.any(String) },
    ]);
    expect(await (await open().fetch(path, { method: "DELETE" })).json()).toEqual({ deleted: 2 });
    expect(await (await open().fetch(path)).json()).toEqual({ samples: [] });
    expect(await (await open().fetch(path, { method: "DELETE" })).json()).toEqual({ deleted: 0 });
  });

  test.each([
    ["an output longer than is kept", [sample({ output: "x".repeat(LONGEST_KEPT + 1) })]],
    ["an input longer than is kept", [sample({ request: "x".repeat(LONGEST_KEPT + 1) })]],
    ["more than fit one request", Array.from({ length: MOST_KEPT_AT_ONCE + 1 }, (_, n) => sample({ input: `i${n}` }))],
    ["none", []],
    ["a key it does not know", [sample({ prompt: "private" })]],
  ])("refuse %s", async (_kind, samples) => {
    const response = await post(await recorded(), { samples });
    expect(response.status).toBe(400);
    expect(await codeOf(response)).toBe("invalid_body");
  });

  test("belong to a bake-off that was recorded", async () => {
    const response = await post("/v1/bakeoffs/bo_none/samples", { samples: [sample()] });
    expect(response.status).toBe(404);
    expect(await codeOf(response)).toBe("bakeoff_not_found");
  });

  test("are written with oracle-act and read with read", async () => {
    const path = await recorded();
    expect((await post(path, { samples: [sample()] }, inject("keys").readOnly)).status).toBe(403);
    expect((await open(inject("keys").readOnly).fetch(path, { method: "DELETE" })).status).toBe(403);
    expect((await open(inject("keys").readOnly).fetch(path)).status).toBe(200);
    expect((await open(inject("keys").callOnly).fetch(path)).status).toBe(403);
  });
});

describe("GET /v1/routes/:name/live", () => {
  test("names the variant that serves; without a pin the route as declared", async () => {
    const answer = await open().fetch("/v1/routes/demo.live/live");
    expect(await answer.json()).toEqual({
      route: "demo.live",
      variant: "default",
      pin: null,
      route_hash: expect.any(String),
    });
  });

  test("knows only declared routes", async () => {
    const answer = await open().fetch("/v1/routes/demo.none/live");
    expect(answer.status).toBe(404);
    expect(await codeOf(answer)).toBe("model_not_found");
  });
});

describe("a bake-off made for a proposal", () => {
  test("attaches its evidence to that proposal, and files no other", async () => {
    const report = reportOf();
    const first = (await (await record(report)).json()) as { proposal: { id: string } };
    const again = reportOf({}, report);
    const answer = await record(again, `?proposal=${first.proposal.id}`);
    expect(await answer.json()).toMatchObject({ proposal: { id: first.proposal.id, state: "evidenced" } });
    const shown = await (await open().fetch(`/v1/proposals/${first.proposal.id}`)).json();
    expect(shown).toMatchObject({ proposal: { evidence: { bakeoff: again.id } } });
  });

  test("is refused where the proposal is of another route, and nothing is recorded", async () => {
    const other = (await (await record(reportOf())).json()) as { proposal: { id: string } };
    const report = reportOf();
    const answer = await record(report, `?proposal=${other.proposal.id}`);
    expect(answer.status).toBe(404);
    expect((await open().fetch(`/v1/bakeoffs/${report.id}`)).status).toBe(404);
  });
});
