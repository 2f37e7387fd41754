import type { ProviderError } from "../../failure/provider-error.ts";
import type { WireTarget } from "../dialect.ts";
import { errorAnswer, errorObject } from "../error-body.ts";

type Target = Pick<WireTarget, "provider">;

/** Shapes seen: `{error:{…}}`, the flat `error` event, and a response whose `status` is `failed`. */
export function decodeError(
  status: number,
  headers: Headers,
  bodyText: string,
  target: Target,
  now: number,
): ProviderError {
  return errorAnswer(status, headers, bodyText, target.provider, now);
}

/** An error inside a 200: a whole body or the data of a stream event. */
export function decodeErrorObject(value: unknown, target: Target): ProviderError {
  return errorObject(value, target.provider);
}
