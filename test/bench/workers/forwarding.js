/** The yardstick: a Worker that forwards and does nothing else. */
export default {
  fetch: (request, env) => {
    const { pathname } = new URL(request.url);
    return pathname === "/health" ? new Response("ok") : fetch(env.UPSTREAM + pathname, request);
  },
};
