import type { Kept } from "../../../src/runs/ports.ts";

interface Reported<S extends number, Body> {
  readonly status: S;
  readonly body: Body & { readonly id: string; readonly status: Kept };
}

/** 201 for what is new, 200 for what was there; `shown` is what the key may read of it. */
export function writeReply<Body extends object>(
  id: string,
  status: Kept,
  shown: Body,
): Reported<201, Body> | Reported<200, Body> {
  const body = { ...shown, id, status };
  return status === "stored" ? { status: 201, body } : { status: 200, body };
}
