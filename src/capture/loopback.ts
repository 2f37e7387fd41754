/**
 * Decides which requests may use a server that listens on this machine only. A web page can make the browser send
 * requests to 127.0.0.1, by DNS rebinding under its own host name. So the Host must be a loopback name, and so must the
 * Origin that browsers add.
 */
export function isLoopbackCaller(host: string | undefined, origin: string | undefined): boolean {
  if (host === undefined || !isLoopbackUrl(`http://${host}`)) return false;
  return origin === undefined || isLoopbackUrl(origin);
}

function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}
