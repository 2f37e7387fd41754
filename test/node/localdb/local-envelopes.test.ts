import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalEnvelopes, openLocalEnvelopes } from "../../../src/localdb/local-envelopes.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { agreesWithModel, type EnvelopeLedger, envelopeSteps } from "../../support/engine/envelope-model.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-envelopes-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Time stands still but for `wait`; a restart opens the file anew. */
function ledgerOn(file: string): EnvelopeLedger & { close(): void } {
  let now = 0;
  let envelopes: LocalEnvelopes = openLocalEnvelopes(file, () => now);
  return {
    reserve: (request) => envelopes.reserve(request),
    settle: (id, actual) => envelopes.settle(id, actual),
    release: (id) => envelopes.release(id),
    wait(ms) {
      now += ms;
    },
    restart() {
      envelopes.close();
      envelopes = openLocalEnvelopes(file, () => now);
    },
    status: () => envelopes.status(),
    close: () => envelopes.close(),
  };
}

describe("the envelopes of a machine", () => {
  it("G082: answer and add up like the naive count, whatever reserves, settles, expires, repeats or restarts", async () => {
    let files = 0;
    await fc.assert(
      fc.asyncProperty(envelopeSteps, async (steps) => {
        const ledger = ledgerOn(join(folder, `model-${files++}.db`));
        await agreesWithModel(ledger, steps, (actual, expected, what) => expect(actual, what).toEqual(expected));
        ledger.close();
      }),
      { numRuns: 60 },
    );
  });

  it("grant to several processes together exactly what fits", async () => {
    const file = join(folder, "shared.db");
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [fileURLToPath(new URL("./reserving-process.ts", import.meta.url)), file], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    );
    const granted = await Promise.all(
      children.map(async (child) => {
        let text = "";
        child.stdout.on("data", (chunk: Buffer) => {
          text += chunk.toString("utf8");
        });
        await once(child, "close");
        return Number(text);
      }),
    );
    expect(granted.reduce((sum, count) => sum + count, 0)).toBe(100);
    const envelopes = openLocalEnvelopes(file, Date.now);
    expect(envelopes.status()).toMatchObject([{ id: "run:shared", limit: 1_000, spent: 0, reserved: 1_000 }]);
    envelopes.close();
  });

  it("grant nothing under the id of a reservation that is settled or released, for it holds nothing", () => {
    const envelopes = openLocalEnvelopes(join(folder, "closed.db"), () => 1_000);
    const claims = [{ scope: "run", id: "run:a", limit: nanoUsd(100) }] as const;
    const reserve = (id: string) =>
      envelopes.reserve({ reservationId: id, claims, worstCase: nanoUsd(40), ttlMs: 1_000 });
    expect([reserve("settled"), reserve("settled"), reserve("released")]).toEqual(Array(3).fill({ granted: true }));
    envelopes.settle("settled", nanoUsd(0));
    envelopes.release("released");
    expect(reserve("settled")).toMatchObject({ granted: false, reason: "reservation_conflict" });
    expect(reserve("released")).toMatchObject({ granted: false, reason: "reservation_conflict" });
    // An unknown bill is counted whole, so that the repeat is covered.
    expect(reserve("unknown")).toEqual({ granted: true });
    envelopes.settle("unknown", undefined);
    expect(reserve("unknown")).toEqual({ granted: true });
    expect(envelopes.status()).toMatchObject([{ spent: 40, reserved: 0 }]);
    envelopes.close();
  });

  it("book a bill above its reservation, and stay closed until it fits again", () => {
    const envelopes = openLocalEnvelopes(join(folder, "overrun.db"), () => 1_000);
    const claims = [{ scope: "run", id: "run:a", limit: nanoUsd(100) }] as const;
    const reserve = (id: string) =>
      envelopes.reserve({ reservationId: id, claims, worstCase: nanoUsd(40), ttlMs: 1_000 });
    expect(reserve("r1")).toEqual({ granted: true });
    expect(envelopes.settle("r1", nanoUsd(90))).toMatchObject({ booked: true, overrun: 50 });
    expect(reserve("r2")).toMatchObject({ granted: false, reason: "envelope_spent", spent: 90 });
    envelopes.close();
  });
});
