import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { executeCall } from "../../../src/call/execute.ts";
import type { Inference } from "../../../src/call/inference.ts";
import type { CallPorts } from "../../../src/call/ports.ts";
import type { CompiledBundle } from "../../../src/config/config.ts";
import { narrow } from "../../../src/route/narrow.ts";
import { renderRequest } from "../../../src/route/render.ts";
import { compileFolder } from "../../../src/workspace/compile-folder.ts";
import { engineHost } from "../../../src/workspace/engine-host.ts";

const TOPICS = ["shipping", "billing", "my account", "a technical fault"];
const tickets = Array.from(
  { length: 60 },
  (_, index) =>
    `Ticket ${index}: there is a problem with ${TOPICS[index % 4]}. It began on day ${index}. Please call me.`,
);

let bundle: CompiledBundle;
let ports: CallPorts;

beforeAll(async () => {
  const { result } = await compileFolder({ cwd: fileURLToPath(new URL("../../..", import.meta.url)) });
  if (!result.ok) throw new Error("the examples do not compile");
  bundle = { ...result.value, config: { ...result.value.config, simLatency: 0 } };
  const envelopes = {
    reserve: async () => ({ granted: true }) as const,
    settle: () => undefined,
    release: () => undefined,
  };
  ports = engineHost(bundle, { environment: {}, envelopes, recorder: { record: () => undefined } });
});

async function inferences(variant: string): Promise<Inference[]> {
  const route = bundle.routes.find(({ name }) => name === "example.support_summarize");
  const narrowed = route ? narrow(route, variant) : undefined;
  if (!route || !narrowed?.ok || !narrowed.value.template || !narrowed.value.output) throw new Error("no such variant");
  const { candidates, template, output } = narrowed.value;
  const made: Inference[] = [];
  for (const ticket of tickets) {
    const result = await executeCall(
      {
        context: { org: "o", lane: "replay", route: route.name, variant, tags: {} },
        policy: { ...route, candidates, output: { ...output, name: "summary" }, allowTrial: true },
        budget: { claims: [] },
        requestFor: (_candidate, capabilities) => {
          const request = renderRequest(template, route.input, { ticket }, capabilities);
          return request.ok ? request.value : request.error;
        },
        stream: false,
        signal: new AbortController().signal,
      },
      ports,
    );
    if (result.type === "stream") throw new Error("asked for no stream");
    made.push(result.inference);
  }
  return made;
}

const conformant = (all: readonly Inference[]): number => all.filter((it) => it.conformant === true).length;
const spent = (all: readonly Inference[]): number => all.reduce((sum, it) => sum + (it.cost ?? Number.NaN), 0);

describe("the example route's variants, through the real engine", () => {
  it("cheap conforms as often as default and costs less; nimbus conforms less often", async () => {
    const [standard, cheap, nimbus] = [
      await inferences("default"),
      await inferences("cheap"),
      await inferences("nimbus"),
    ];
    expect(conformant(standard)).toBe(tickets.length);
    expect(conformant(cheap)).toBe(tickets.length);
    expect(spent(cheap)).toBeLessThan(spent(standard) / 4);
    expect(conformant(nimbus)).toBeLessThan(tickets.length - 3);
    expect(conformant(nimbus)).toBeGreaterThan(tickets.length / 2);
    expect([...standard, ...cheap, ...nimbus].every(({ simulated }) => simulated)).toBe(true);
  });
});
