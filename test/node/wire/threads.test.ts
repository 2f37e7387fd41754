import { describe, expect, it } from "vitest";
import { CLIENTS, sentTo } from "../../support/wire/encoded-request.ts";

const body = { model: "r", max_tokens: 9, messages: [{ role: "user", content: "x" }] };

describe("threads of Anthropic's client", () => {
  it("are refused with the code by which the client goes on without", () => {
    const refused = CLIENTS["anthropic-messages"].decodeRequest({ ...body, thread: { type: "create" } });
    if (refused.ok) throw new Error("accepted");
    expect(CLIENTS["anthropic-messages"].encodeError(refused.error, { attempts: [] })).toMatchObject({
      error: {
        type: "invalid_request_error",
        details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
      },
    });
  });

  it("never send our own id upstream", () => {
    const { body: sent, fields } = sentTo(
      "anthropic-messages",
      { ...body, diagnostics: { previous_message_id: "inf_1" } },
      "anthropic/claude-haiku-4-5",
    );
    expect(JSON.stringify(sent)).not.toContain("inf_1");
    expect(fields).toEqual(["diagnostics"]);
  });
});
