/** Which API a request of a client goes to, by its address, and whose. */
import type { ProviderSpec, ProviderTable } from "../../provider/provider.ts";
import type { DialectName } from "../../wire/chat.ts";

export interface WireAddress {
  readonly dialect: DialectName;
  /** Embeddings: no text comes back, and only the input is billed. */
  readonly embeds: boolean;
  /** The model, where the address names it. */
  readonly model: string | undefined;
}

interface Endpoint extends Omit<WireAddress, "model"> {
  readonly path: RegExp;
}

const ENDPOINTS: readonly Endpoint[] = [
  { path: /(?:\/deployments\/(?<model>[^/]+))?\/chat\/completions$/, dialect: "openai-chat", embeds: false },
  { path: /\/responses$/, dialect: "openai-responses", embeds: false },
  { path: /(?:\/deployments\/(?<model>[^/]+))?\/embeddings$/, dialect: "openai-chat", embeds: true },
  { path: /\/v1\/messages$/, dialect: "anthropic-messages", embeds: false },
  { path: /\/models\/(?<model>[^/:]+):(?:streamRawPredict|rawPredict)$/, dialect: "anthropic-messages", embeds: false },
  { path: /\/models\/(?<model>[^/:]+):(?:streamGenerateContent|generateContent)$/, dialect: "gemini", embeds: false },
];

/** Undefined for a request that is no call of a model: lists, files, batches, tokens counted. */
export function wireAddress({ pathname }: URL): WireAddress | undefined {
  for (const { path, dialect, embeds } of ENDPOINTS) {
    const match = path.exec(pathname);
    if (!match) continue;
    const model = match.groups?.["model"];
    return { dialect, embeds, model: model === undefined ? undefined : decodeURIComponent(model) };
  }
  return undefined;
}

/** The row whose base URL the address begins with, the most particular first. */
export function providerAt({ href }: URL, providers: ProviderTable): ProviderSpec | undefined {
  const rows = providers.all.filter(({ baseUrl }) => href.startsWith(`${baseUrl}/`));
  return rows.sort((a, b) => b.baseUrl.length - a.baseUrl.length)[0];
}

/** Providers whose address differs per account; any other is named by its host. */
export function hostName({ host }: URL): string {
  if (/\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/.test(host)) return "azure";
  return host;
}
