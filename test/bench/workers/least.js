/**
 * The least that any gateway does in JavaScript: whole answers are parsed, written again and told to a queue in one
 * message; streams are copied chunk by chunk. Shows how much of the gateway's cost is the runtime's own.
 */
export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    const body = JSON.stringify(await request.json());
    const headers = { "content-type": "application/json" };
    const response = await fetch(env.UPSTREAM + pathname, { method: "POST", headers, body });
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) return copied(response);
    const answer = await response.json();
    context.waitUntil(env.TELEMETRY.send({ usage: answer.usage, path: pathname }, { contentType: "json" }));
    return Response.json(answer);
  },
};

function copied(response) {
  const reader = response.body.getReader();
  const pull = async (controller) => {
    const { done, value } = await reader.read();
    if (done) controller.close();
    else controller.enqueue(value);
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: response.headers });
}
