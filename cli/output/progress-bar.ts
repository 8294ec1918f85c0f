/** The widest that a bar is drawn, without the numbers beside it. */
const widest = 40;

/** `[=====>     ] 12/40`, never wider than the terminal: a line that wraps could not be wiped again. */
export function drawBar(ended: number, total: number, columns: number): string {
  const numbers = ` ${ended}/${total}`;
  const width = Math.min(widest, columns - numbers.length - 3);
  if (width < 4) return numbers.trim().slice(0, Math.max(0, columns - 1));
  const filled = Math.floor((ended / total) * width);
  const head = filled < width ? '>' : '';
  return `[${'='.repeat(filled)}${head}${' '.repeat(width - filled - head.length)}]${numbers}`;
}
