/** Derives a model's family from its id: models of one family share training data, style and errors. */

/**
 * Family by a word of the id; without a name, the word itself. A distilled model belongs to its teacher's family and to
 * its own.
 */
const FAMILIES: readonly (readonly [pattern: RegExp, family?: string])[] = [
  [/\bclaude/, "claude"],
  [/\b(gpt|chatgpt|codex|davinci|o[134](-|$))/, "gpt"],
  [/\b(gemini|gemma|learnlm|palm)/, "gemini"],
  [/\b(llama|codellama)/, "llama"],
  [/\b(qwen|qwq|qvq)/, "qwen"],
  [/\bdeepseek/, "deepseek"],
  [/\b(mistral|mixtral|ministral|codestral|magistral|devstral|pixtral)/, "mistral"],
  [/\bgrok/, "grok"],
  [/\b(kimi|moonshot)/, "kimi"],
  [/\b(glm|chatglm)/, "glm"],
  [/\b(command|aya|c4ai)/, "command"],
  [/\bnova/, "nova"],
  [/\bphi-?\d/, "phi"],
  [/\b(minimax|abab)/, "minimax"],
  [/\b(sonar|pplx)/, "sonar"],
  [/\bnemotron/, "nemotron"],
  [/\bgranite/, "granite"],
  [/\bjamba/, "jamba"],
  [/\bhermes/, "hermes"],
  [/\b(ernie|hunyuan|doubao|seed|yi|step|olmo|falcon|solar|exaone|lfm)(-|\d)/],
];

/**
 * Returns at least one family. An id without a known family is its own: the first word of its last part, so that
 * `atlas-large` and `atlas-small` are one family.
 */
export function modelFamilies(model: string): readonly string[] {
  const id = model.toLowerCase().replace(/[_.]/g, "-");
  const found = FAMILIES.flatMap(([pattern, family]) => {
    const match = pattern.exec(id);
    return match ? [family ?? match[1] ?? id] : [];
  });
  if (found.length > 0) return found;
  const last = id.split("/").at(-1) ?? id;
  return [/[a-z]+/.exec(last)?.[0] ?? last];
}
