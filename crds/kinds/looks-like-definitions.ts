/** Whether a text, in YAML or JSON, has a definition in it. A JSON Schema of definitions has none. */
export function looksLikeDefinitions(text: string): boolean {
  return /\bapiVersion["']?\s*:\s*["']?rolecall\.dev\//.test(text);
}
