/**
 * Whose a journal is, by its name: `<sender>~<host>~<process>~<start>.jsonl`, or `<sender>~left~<id>.jsonl` after its owner
 * closed it. One that nobody owns is taken over by renaming it, and of two processes only one can.
 */
import { randomUUID } from "node:crypto";
import { readdirSync, renameSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

/** On a shared disk, a journal of another machine counts as left when nobody wrote to it for so long. */
const SILENT_MS = 600_000;
/** In the place of a sender: what stays on this machine. */
const LOCAL = "local";

/** Names that journals of this process have: a restarted container often gets the same process id again. */
const owned = new Set<string>();
let count = 0;

/** A name for a journal of this process. */
export function ownName(sender: string): string {
  count += 1;
  const name = `${sender || LOCAL}~${hostname()}~${process.pid}~${Math.round(performance.timeOrigin)}-${count}.jsonl`;
  owned.add(name);
  return name;
}

/** Gives a journal up: whoever comes next may take it over. */
export function leaveJournal(folder: string, name: string): void {
  owned.delete(name);
  renameSync(join(folder, name), join(folder, `${senderOf(name) || LOCAL}~left~${randomUUID()}.jsonl`));
}

export function forgetJournal(name: string): void {
  owned.delete(name);
}

/** Takes over the journals of these senders that nobody owns; answers their new names. */
export function takeOver(folder: string, senders: ReadonlySet<string>, now: number): readonly string[] {
  const taken: string[] = [];
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".jsonl") || !name.includes("~") || !senders.has(senderOf(name))) continue;
    if (!isLeft(folder, name, now)) continue;
    const mine = ownName(senderOf(name));
    try {
      renameSync(join(folder, name), join(folder, mine));
      taken.push(mine);
    } catch {
      // Another process was faster.
      owned.delete(mine);
    }
  }
  return taken;
}

/** As the name of a journal says it; empty for what stays on this machine. */
function senderOf(name: string): string {
  const [sender = ""] = name.split("~");
  return sender === LOCAL ? "" : sender;
}

function isLeft(folder: string, name: string, now: number): boolean {
  const [, host, pid] = name.split("~");
  if (host === "left") return true;
  if (host !== hostname())
    return now - (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now) > SILENT_MS;
  if (Number(pid) === process.pid) return !owned.has(name);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ESRCH";
  }
}
