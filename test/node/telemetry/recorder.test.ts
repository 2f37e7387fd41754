import { beforeEach, describe, expect, it } from "vitest";
import type { InferenceRecord } from "../../../src/record/inference-record.ts";
import type { SizedRecord } from "../../../src/telemetry/message.ts";
import { createRecorder, type RecorderPorts, type RecorderTrouble } from "../../../src/telemetry/recorder.ts";
import { anInference } from "../../support/store/inferences.ts";

let sent: SizedRecord[];
let written: InferenceRecord[];
let troubles: RecorderTrouble[];
let slept: number[];
let background: Promise<unknown>[];

beforeEach(() => {
  sent = [];
  written = [];
  troubles = [];
  slept = [];
  background = [];
});

const unavailable = new Error("the database is away");

/** Writes fail `failures` times, then succeed. */
function ports(fields: Partial<RecorderPorts> = {}, failures = 0): RecorderPorts {
  let left = failures;
  return {
    send: async (record) => void sent.push(record),
    sink: {
      insertInferences: async (records) => {
        left -= 1;
        if (left >= 0) throw unavailable;
        written.push(...records);
      },
      isUnavailable: (cause) => cause === unavailable,
    },
    waitUntil: (work) => void background.push(work),
    sleep: async (ms) => void slept.push(ms),
    random: () => 0,
    onTrouble: (trouble) => void troubles.push(trouble),
    ...fields,
  };
}

const types = () => troubles.map(({ type }) => type);

describe("the recorder", () => {
  it("has begun the send when it returns, and keeps the host alive until it is done", async () => {
    const inference = anInference();
    createRecorder(ports()).record(inference);
    expect(sent.map((record) => record.inference.id)).toEqual([inference.id]);
    expect(background).toHaveLength(1);
    await Promise.all(background);
    expect(written).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("writes directly where the queue refuses, whether it rejects or throws at once", async () => {
    const refusals: RecorderPorts["send"][] = [
      () => Promise.reject(new Error("queue full")),
      () => {
        throw new Error("no such binding");
      },
    ];
    for (const send of refusals) {
      written = [];
      troubles = [];
      const inference = anInference();
      createRecorder(ports({ send })).record(inference);
      await Promise.all(background);
      expect(written.map(({ id }) => id)).toEqual([inference.id]);
      expect(troubles).toMatchObject([{ type: "queue_refused", inference: inference.id, org: "org_a" }]);
    }
  });

  it("writes directly where there is no queue", async () => {
    createRecorder(ports({ send: undefined })).record(anInference());
    await Promise.all(background);
    expect(written).toHaveLength(1);
    expect(troubles).toEqual([]);
  });

  it("tries a direct write a few times within half a minute, and says when the record is lost", async () => {
    createRecorder(ports({ send: undefined }, 3)).record(anInference());
    await Promise.all(background);
    expect(written).toHaveLength(1);
    expect(types()).toEqual(["write_failed", "write_failed", "write_failed"]);

    troubles = [];
    slept = [];
    createRecorder(ports({ send: undefined }, 99)).record(anInference());
    await Promise.all(background);
    expect(types()).toEqual(["write_failed", "write_failed", "write_failed", "write_failed", "lost"]);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(30_000);
  });

  it("does not repeat a write that can never succeed", async () => {
    let tries = 0;
    const sink: RecorderPorts["sink"] = {
      insertInferences: async () => {
        tries += 1;
        throw new Error("refused");
      },
      isUnavailable: () => false,
    };
    createRecorder(ports({ send: undefined, sink })).record(anInference());
    await Promise.all(background);
    expect(tries).toBe(1);
    expect(types()).toEqual(["lost"]);
  });

  it("never throws at the call it records", async () => {
    const broken = { ...anInference(), attempts: undefined } as unknown as ReturnType<typeof anInference>;
    createRecorder(ports()).record(broken);
    await Promise.all(background);
    expect(types()).toEqual(["lost"]);
  });
});
