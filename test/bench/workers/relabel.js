/** The least that a gateway does to a stream it must touch: every event is parsed, gets another id, and is written again. */
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const headers = { "content-type": "application/json" };
    const response = await fetch(env.UPSTREAM + pathname, { method: "POST", headers, body: await request.text() });
    return new Response(relabelled(response.body), { headers: response.headers });
  },
};

function relabelled(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  const pull = async (controller) => {
    for (;;) {
      const { done, value } = await reader.read();
      const text = rest + (done ? decoder.decode() : decoder.decode(value, { stream: true })).replaceAll("\r\n", "\n");
      const end = done ? text.length : text.lastIndexOf("\n\n") + 2;
      rest = text.slice(end);
      if (end > 2) controller.enqueue(encoder.encode(text.slice(0, end).split("\n").map(relabelledLine).join("\n")));
      if (done) controller.close();
      if (done || end > 2) return;
    }
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

function relabelledLine(line) {
  if (!line.startsWith("data: {")) return line;
  const event = JSON.parse(line.slice(6));
  event.id = "relabelled";
  return `data: ${JSON.stringify(event)}`;
}
