import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ReportData } from './report-data.ts';

/**
 * One page that has all in itself: its policy forbids it to load anything, from anywhere. Names in the data are text to it,
 * whatever stands in them.
 */
export function renderHtml(data: ReportData): string {
  const style = asset('page.css');
  const script = asset('page.js');
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const parts: Readonly<Record<string, string>> = {
    '{{policy}}': policy,
    '{{title}}': escapeText(`Who reaches what in ${data.workspace}`),
    '/*{{style}}*/': style,
    '"{{data}}"': inScript(JSON.stringify(data)),
    '"{{script}}";': script,
  };
  // In one pass: what is put in may well look like a placeholder.
  return asset('page.html').replace(
    /\{\{policy\}\}|\{\{title\}\}|\/\*\{\{style\}\}\*\/|"\{\{data\}\}"|"\{\{script\}\}";/g,
    (place) => parts[place] ?? '',
  );
}

function asset(name: string): string {
  return readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');
}

/** As a Content-Security-Policy names an inline script or style (CSP Level 3, 2.3.1). */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** JSON that cannot end the script element it stands in (HTML, restrictions for contents of script elements). */
function inScript(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
