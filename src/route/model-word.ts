/** Parses what a client may write as `model`: a route, a raw model, or the auto lane. */
import { err, failure, ok, type Result } from "../failure/failure.ts";
import { ID_PATTERN } from "./identifier.ts";
import { DEFAULT_VARIANT } from "./narrow.ts";

type ModelWord =
  | { readonly type: "route"; readonly route: string; readonly variant: string }
  | { readonly type: "raw"; readonly provider: string; readonly model: string }
  | { readonly type: "auto"; readonly profile?: string | undefined };

/**
 * `a.b`, `a.b@cheap` → route; `openai/gpt-5.4-mini` → raw (the first slash ends the provider);
 * `auto`, `auto:batch` → auto lane. Fails with `bad_request` on anything else; whether it exists is not checked here.
 */
export function resolveModelWord(word: string): Result<ModelWord> {
  const auto = /^auto(?::([A-Za-z0-9._-]{1,64}))?$/.exec(word);
  if (auto) return ok({ type: "auto", profile: auto[1] });
  const slash = word.indexOf("/");
  if (slash !== -1) {
    const provider = word.slice(0, slash);
    const model = word.slice(slash + 1);
    return ID_PATTERN.test(provider) && ID_PATTERN.test(model) ? ok({ type: "raw", provider, model }) : invalid();
  }
  const [route = "", variant = DEFAULT_VARIANT, ...rest] = word.split("@");
  if (rest.length > 0 || !ID_PATTERN.test(route) || !ID_PATTERN.test(variant)) return invalid();
  return ok({ type: "route", route, variant });
}

/** The word itself is not repeated, because it may be any text. */
function invalid(): Result<ModelWord> {
  const message = "model must be a route (name or name@variant), a raw model (provider/model), or auto";
  return err(failure("bad_request", message, { param: "model" }));
}
