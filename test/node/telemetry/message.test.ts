import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MESSAGE_SCHEMA, messageOf, PACK_SCHEMA, sizedRecord } from "../../../src/telemetry/message.ts";
import { readMessage } from "../../../src/telemetry/read-message.ts";
import { recordOf, totalTokens } from "../../../src/telemetry/record.ts";
import { anAttempt, anInference, inferences, someUsage } from "../../support/store/inferences.ts";

/** What Cloudflare Queues accepts in one message. */
const LIMIT = 128_000;
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe("a telemetry message", () => {
  it("is read back as it was written, whatever the inference", () => {
    fc.assert(
      fc.property(inferences(["org_a"]), (inference) => {
        const record = recordOf(inference);
        expect(readMessage(overTheWire(messageOf([record])))).toEqual({ records: [record], unreadable: [] });
      }),
    );
  });

  it("stays below the queue's limit, keeps its cost, and can be read, however large the call was", () => {
    const long = "🦀".repeat(5_000);
    const attempts = Array.from({ length: 500 }, (_, index) =>
      anAttempt({
        id: `att_${index}`,
        index,
        provider: long,
        model: long,
        priceVersion: long,
        dropped: Array.from({ length: 100 }, () => ({ field: long, why: long })),
      }),
    );
    const inference = anInference({
      attempts,
      route: long,
      variant: long,
      run: long,
      step: long,
      tags: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}${long}`, long])),
      skipped: Array.from({ length: 200 }, () => ({ candidate: long, why: "trial" as const, detail: long })),
    });
    const message = messageOf([sizedRecord(recordOf(inference)).inference]);
    expect(size(message)).toBeLessThan(LIMIT);
    const [read] = readMessage(overTheWire(message))?.records ?? [];
    expect(read).toMatchObject({ id: inference.id, costNano: inference.cost });
    expect(read?.attempts.at(-1)?.id).toBe("att_499");
    expect(read?.route?.isWellFormed()).toBe(true);
    expect(Object.keys(read?.tags ?? {}).every((name) => name.isWellFormed() && !name.includes("\ufffd"))).toBe(true);
  });

  it("of several records is read record by record", () => {
    fc.assert(
      fc.property(fc.array(inferences(["org_a"]), { minLength: 2, maxLength: 5 }), (all) => {
        const records = all.map(recordOf);
        expect(readMessage(overTheWire(messageOf(records)))).toEqual({ records, unreadable: [] });
        const mixed = { schema: PACK_SCHEMA, inferences: ["poison", ...records, { id: "half" }] };
        expect(readMessage(mixed)).toEqual({ records, unreadable: ["poison", { id: "half" }] });
      }),
    );
  });

  it("knows the bytes of its record, whatever the alphabet", () => {
    fc.assert(
      fc.property(inferences(["org_a"]), fc.string({ unit: "binary", maxLength: 50 }), (one, run) => {
        const { inference, bytes } = sizedRecord(recordOf({ ...one, run }));
        expect(bytes).toBe(size(inference));
      }),
    );
  });

  it("of another kind, version or shape is not read", () => {
    const inference = recordOf(anInference());
    const good = { schema: MESSAGE_SCHEMA, inference };
    expect(readMessage(good)).toBeDefined();
    const bad: unknown[] = [
      undefined,
      null,
      "text",
      [],
      {},
      { ...good, schema: "modelrig.telemetry/2" },
      { ...good, inference: { ...inference, id: "" } },
      { ...good, inference: { ...inference, org: undefined } },
      { ...good, inference: { ...inference, costNano: 0.5 } },
      { ...good, inference: { ...inference, costNano: 2 ** 60 } },
      { ...good, inference: { ...inference, attempts: [{}] } },
      { ...good, inference: { ...inference, tags: { a: 1 } } },
      { ...good, inference: { ...inference, route: "x".repeat(10_000) } },
    ];
    for (const body of bad) expect(readMessage(body)).toBeUndefined();
    fc.assert(fc.property(fc.anything(), (body) => readMessage(body) === undefined));
  });
});

describe("a record", () => {
  it("sums tokens over the attempts that reported them, and reports none where none did", () => {
    const none = { input: {}, output: {}, estimated: false, raw: undefined };
    const { attempts } = recordOf(
      anInference({
        attempts: [
          anAttempt({ usage: undefined }),
          anAttempt({ usage: someUsage() }),
          anAttempt({ usage: { ...none, input: { total: 5 }, output: { total: 0 } } }),
        ],
      }),
    );
    expect(totalTokens(attempts)).toEqual({
      input: 1_205,
      uncached: 200,
      cacheRead: 1_000,
      cacheWrite: 0,
      output: 90,
      reasoning: 30,
    });
    expect(totalTokens(attempts.slice(0, 1)).input).toBeNull();
  });

  it("keeps a code that is one, and no prose in its place", () => {
    const record = (code: string) =>
      recordOf(anInference({ failure: { class: "bad_request", message: "", code } })).failure;
    expect(record("context_length_exceeded")?.code).toBe("context_length_exceeded");
    expect(record("You said: my secret")?.code).toBeNull();
  });
});
