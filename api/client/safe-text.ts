/** The longest part of a foreign text that is read; the rest would be cut off anyway. */
const readLimit = 65_536;

/**
 * Makes an untrusted text safe for a message: one line of at most `max` characters, without markup, control characters and
 * anything that looks like a credential.
 *
 * @param secrets texts to remove, such as the key's secret, which a debugging proxy may echo
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
