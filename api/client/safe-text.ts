/** How much of a foreign text is read; the rest would be cut off anyway. */
const readLimit = 65_536;

/**
 * Makes a text that came from outside fit for a message: one line, no mark-up, no control characters that a terminal
 * would obey, nothing that looks like a credential, and no longer than `max` characters.
 *
 * @param secrets what must not appear, such as the key's secret that a debugging proxy echoes
 */
export function safeText(text: string, max: number, secrets: readonly string[]): string {
  const line = redact(text.slice(0, readLimit), secrets)
    .replace(/<(script|style)\b[^>]*>[^<]*<\/\1>/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`;
}

function redact(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) shown = shown.replaceAll(secret, '***');
  return shown.replace(/\b(Basic|Bearer)\s+[A-Za-z0-9+/=._~-]{8,}/gi, '$1 ***').replace(/:\/\/[^\s/]*@/g, '://***@');
}
