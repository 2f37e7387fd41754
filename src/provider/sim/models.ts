/** The simulated models as data: prices, speed, failure rates and accuracy. */
import type { Price, Rate } from "../../money/price.ts";
import type { ModelCapabilities, ModelSpec, ProviderSpec } from "../provider.ts";

/** `.invalid` never resolves (RFC 2606), so a simulated call that leaves the process reaches no host. */
export const SIM_BASE_URL = "https://sim.invalid/v1";

/** True for addresses that belong to the simulation and must not reach a network. */
export function isSimulated(url: string): boolean {
  return url.startsWith(`${SIM_BASE_URL}/`);
}

/** All shares are probabilities in [0, 1]. */
export interface SimModel {
  readonly id: string;
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly capabilities: ModelCapabilities;
  /** Milliseconds to the first token, and between tokens. */
  readonly firstTokenMs: number;
  readonly perTokenMs: number;
  /** Share of 429 answers with Retry-After; drawn per attempt. */
  readonly shedRate: number;
  /** Share of 500 answers; drawn per attempt. */
  readonly errorRate: number;
  /**
   * Share of inputs that it can structure at all where the schema is not enforced; the others fail on every attempt.
   */
  readonly competence: number;
  /** Share of attempts with broken JSON although the input is within its ability. */
  readonly noise: number;
  /** Probability that it repairs a broken answer when asked to. */
  readonly mending: number;
  /** Share of facts (labels, amounts) read correctly from the input; the others conform but are wrong. */
  readonly accuracy: number;
}

const STRICT: ModelCapabilities = { native_strict: true, json_object: true, tools: true, vision: true };
const JSON_MODE: ModelCapabilities = { native_strict: false, json_object: true, tools: true, vision: false };

const steady = {
  contextWindow: 200_000,
  maxOutput: 8_192,
  shedRate: 0,
  errorRate: 0,
  noise: 0,
  competence: 1,
  mending: 1,
};

export const SIM_MODELS: readonly SimModel[] = [
  {
    ...steady,
    id: "atlas-large",
    inputPerMillion: 3,
    outputPerMillion: 15,
    capabilities: { ...STRICT, grounding: true, reasoning: true },
    firstTokenMs: 300,
    perTokenMs: 2,
    accuracy: 0.99,
  },
  {
    ...steady,
    id: "atlas-small",
    inputPerMillion: 0.4,
    outputPerMillion: 1.6,
    capabilities: STRICT,
    firstTokenMs: 120,
    perTokenMs: 1,
    accuracy: 0.97,
  },
  {
    ...steady,
    id: "nimbus-mini",
    inputPerMillion: 0.1,
    outputPerMillion: 0.4,
    contextWindow: 32_000,
    capabilities: JSON_MODE,
    firstTokenMs: 80,
    perTokenMs: 1,
    noise: 0.1,
    competence: 0.8,
    mending: 0.1,
    accuracy: 0.85,
  },
  {
    ...steady,
    id: "flaky",
    inputPerMillion: 0.5,
    outputPerMillion: 2,
    capabilities: STRICT,
    firstTokenMs: 150,
    perTokenMs: 1,
    shedRate: 0.25,
    errorRate: 0.15,
    accuracy: 0.97,
  },
  {
    ...steady,
    id: "slow",
    inputPerMillion: 1,
    outputPerMillion: 4,
    capabilities: STRICT,
    firstTokenMs: 4_000,
    perTokenMs: 30,
    accuracy: 0.98,
  },
];

const flat = (base: number): Rate => ({ base, tiers: [] });

function priceOf(model: SimModel): Price {
  return { input: flat(model.inputPerMillion), output: flat(model.outputPerMillion), version: "sim" };
}

function specOf(model: SimModel): ModelSpec {
  const { id, contextWindow, maxOutput, capabilities } = model;
  return { id, price: priceOf(model), contextWindow, maxOutput, capabilities };
}

export const SIM_PROVIDER: ProviderSpec = {
  name: "sim",
  dialect: "openai-chat",
  baseUrl: SIM_BASE_URL,
  capabilities: {},
  quirks: {},
  models: Object.fromEntries(SIM_MODELS.map((model) => [model.id, specOf(model)])),
  simulated: true,
  stopsBillingOnDisconnect: "the simulation bills nothing; it counts what it sent",
};
