/** Sampling parameters that a Claude model takes. */
import { isRecord } from "../../json/record.ts";
import type { DroppedField, WireTarget } from "../dialect.ts";

type Body = Record<string, unknown>;

/** Leaves out what the model refuses, and names it. Runs after thinking is decided, which excludes sampling. */
export function fitSampling(body: Body, { model, facts }: WireTarget, dropped: DroppedField[]): void {
  const leaveOut = (field: string, why: string): void => {
    if (body[field] === undefined || body[field] === null) return;
    delete body[field];
    dropped.push({ field, why });
  };
  if (facts?.sampling === "none") {
    for (const field of ["temperature", "top_p", "top_k"]) leaveOut(field, `${model} takes no sampling parameters`);
    return;
  }
  if (thinks(body["thinking"])) {
    for (const field of ["temperature", "top_p", "top_k"])
      leaveOut(field, "Anthropic refuses it together with thinking");
    return;
  }
  if (facts?.sampling === "one" && body["temperature"] !== undefined)
    leaveOut("top_p", `${model} takes temperature or top_p, not both`);
  const temperature = body["temperature"];
  if (typeof temperature === "number" && temperature > 1) {
    body["temperature"] = 1;
    dropped.push({ field: "temperature", why: "sent as 1, the highest Anthropic takes" });
  }
}

function thinks(thinking: unknown): boolean {
  return isRecord(thinking) && (thinking["type"] === "enabled" || thinking["type"] === "adaptive");
}
