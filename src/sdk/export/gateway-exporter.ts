import { createHash } from "node:crypto";
import { join } from "node:path";
import type { GatewayClient } from "../../api/client.ts";
import { clock } from "../../workspace/engine-host.ts";
import { stateFolder } from "../../workspace/state-folder.ts";
import { reasonOf, type Warnings } from "../warnings.ts";
import { gatewayDelivery } from "./delivery.ts";
import type { ExportBuffer } from "./export-buffer.ts";
import { createExporter, type Exporter } from "./exporter.ts";
import { openJournalBuffer } from "./journal-buffer.ts";

interface ExporterPlace {
  /** Records wait in its `.modelrig/buffer`. */
  readonly cwd: string;
  /** Whose records they are; absent = they stay here. */
  readonly gateway: { readonly client: GatewayClient; readonly key: string } | undefined;
  readonly expectOrg?: string | undefined;
  readonly limits: { readonly maxBytes: number; readonly keepMs: number };
  readonly flushIntervalMs: number;
}

/** The exporter of a process that works in this folder. */
export function gatewayExporter(place: ExporterPlace, warn: Warnings): Exporter {
  const { cwd, gateway, expectOrg, limits, flushIntervalMs } = place;
  const sender = gateway ? fingerprint(gateway.client.url, gateway.key) : "";
  const now = clock.now;
  return createExporter({
    open: () => openBuffer(cwd, sender, warn),
    delivery: gateway && ((backoff) => gatewayDelivery(gateway.client, { expectOrg, now, backoff, warn })),
    limits,
    flushIntervalMs,
    now,
    random: Math.random,
    warn,
  });
}

/** A read-only disk costs durability, not the pipeline. */
function openBuffer(cwd: string, sender: string, warn: Warnings): ExportBuffer {
  try {
    return openJournalBuffer(join(stateFolder(cwd), "buffer"), sender);
  } catch (cause) {
    warn.once(
      "buffer file",
      `records are kept in memory only, for ${cwd}/.modelrig cannot be used: ${reasonOf(cause)}`,
    );
    return openJournalBuffer(undefined, sender);
  }
}

/** Names a key without being one: records of one key are never sent with another org's. */
function fingerprint(url: string, key: string): string {
  return createHash("sha256").update(`${url}\n${key}`).digest("hex").slice(0, 32);
}
