/**
 * The styles of a recording in SVG: elements of the classes `s0`, `s1` … are seen one after another, over and over; only the last one
 * where the reader wants no motion. No script runs, so that a page may show it as an image.
 *
 * @param seconds how long each is seen
 */
export function showInTurn(seconds: readonly number[]): string {
  const total = seconds.reduce((sum, one) => sum + one, 0);
  let begin = 0;
  const frames = seconds.map((length, index) => {
    const [from, to] = [begin / total, (begin + length) / total].map((part) => (part * 100).toFixed(3));
    begin += length;
    return `@keyframes s${index}{0%{opacity:${index === 0 ? 1 : 0}}${from}%{opacity:1}${to}%{opacity:0}100%{opacity:0}}.s${index}{animation:s${index} ${total}s step-end infinite}`;
  });
  const still = seconds.map((_, index) => `.s${index}{animation:none;opacity:${index === seconds.length - 1 ? 1 : 0}}`);
  return `${frames.join('\n')}\n@media (prefers-reduced-motion: reduce){${still.join('')}}`;
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
