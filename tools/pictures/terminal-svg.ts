import { escapeXml, showInTurn } from './animated-svg.ts';

/** One screen of a terminal: a command and its output, with the colours of ANSI (ECMA-48, SGR). */
export interface Scene {
  /** Said above the command, as a comment. */
  readonly says?: string;
  readonly command: string;
  readonly output: string;
  readonly seconds: number;
}

const columns = 110;
const [fontSize, lineHeight, margin, bar] = [12, 17, 18, 30];
const characterWidth = fontSize * 0.6;
const palette: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '35': '#d2a8ff',
};

/**
 * Draws a recording: one screen after another, over and over; only the last one where the reader wants no motion. It loads
 * nothing and runs no script, so that a page may show it as an image.
 */
export function terminalSvg(scenes: readonly Scene[], title: string): string {
  const screens = scenes.map(linesOf);
  const height = bar + margin * 2 + Math.max(...screens.map((lines) => lines.length)) * lineHeight;
  const width = Math.ceil(columns * characterWidth + margin * 2);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<title>${escapeXml(title)}</title>
<style>text{font:${fontSize}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}.b{font-weight:600}.d{fill:#8b949e}
${showInTurn(scenes.map(({ seconds }) => seconds))}</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="20" cy="15" r="5" fill="#ff5f57"/><circle cx="38" cy="15" r="5" fill="#febc2e"/><circle cx="56" cy="15" r="5" fill="#28c840"/>
${screens.map((lines, index) => `<g class="s${index}">\n${lines.map(drawLine).join('\n')}\n</g>`).join('\n')}
</svg>
`;
}

function linesOf({ says, command, output }: Scene): string[] {
  const comment = says === undefined ? [] : [`\u001b[2m# ${says}\u001b[22m`];
  const lines = [...comment, `\u001b[32m$\u001b[39m \u001b[1m${command}\u001b[22m`, ...output.trimEnd().split('\n')];
  return lines.flatMap(wrap);
}

/** As in a terminal, a text that continues on the next line keeps its colours. */
function wrap(line: string): string[] {
  const lines = [''];
  let [width, style] = [0, ''];
  for (const [part] of line.matchAll(pieces)) {
    const isStyle = part.startsWith('\u001b');
    if (isStyle) style += part;
    else if (width === columns) {
      lines.push(style);
      width = 0;
    }
    if (!isStyle) width += 1;
    lines.push(`${lines.pop() ?? ''}${part}`);
  }
  return lines;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's colours begin with one
const sgr = /\u001b\[([0-9;]*)m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const pieces = /\u001b\[[0-9;]*m|./gu;

function drawLine(line: string, index: number): string {
  const y = bar + margin + (index + 0.8) * lineHeight;
  let style = { fill: '', weight: '' };
  const spans: string[] = [];
  // Every second part is a change of colour.
  for (const [at, part] of line.split(sgr).entries()) {
    if (at % 2 === 1) style = changed(style, part);
    else if (part !== '') spans.push(`<tspan${style.fill}${style.weight}>${escapeXml(part)}</tspan>`);
  }
  return `<text x="${margin}" y="${y.toFixed(1)}" xml:space="preserve">${spans.join('')}</text>`;
}

function changed(style: { fill: string; weight: string }, codes: string): { fill: string; weight: string } {
  return codes.split(';').reduce((now, code) => {
    if (code === '1') return { ...now, weight: ' class="b"' };
    if (code === '2') return { ...now, weight: ' class="d"' };
    if (code === '22') return { ...now, weight: '' };
    const colour = palette[code];
    return { ...now, fill: colour === undefined ? '' : ` style="fill:${colour}"` };
  }, style);
}
