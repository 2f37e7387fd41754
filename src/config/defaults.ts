import type { Config } from "./config.ts";

/** The configuration without a file. */
export const DEFAULT_CONFIG: Config = {
  providers: [],
  budget: {},
  limits: { bodyBytes: 20 * 1024 * 1024, headerBytes: 32 * 1024, jsonDepth: 64 },
  sim: false,
  simLatency: 1,
  keepAliveMs: 0,
  cors: { origins: [] },
  capture: { redact: [], keepDays: 30, maxMb: 1_024 },
};
