import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { personRouteTable } from '@rolecall/api';
import { build, type InputOptions, type Plugin } from 'rolldown';
import { paths } from '../web/paths.ts';

/**
 * `npm run build:web`: builds the page that people work in to `web/dist`, from where the service reads it, and the script of a
 * report's page: a page of one file cannot import.
 */
const root = path.resolve(import.meta.dirname, '..');
const source = path.join(root, 'web');
const dist = path.join(source, 'dist');

/** Gives the page the method and path of each operation, and not the schemas: those are a library that it has no use for. */
const operations: Plugin = {
  name: 'operations',
  resolveId: (id) => (id === 'virtual:operations' ? id : null),
  load: (id) => {
    if (id !== 'virtual:operations') return null;
    const table = Object.values(personRouteTable).map(({ operationId, method, path: place }) => [
      operationId,
      [method, place],
    ]);
    return `export const operations = ${JSON.stringify(Object.fromEntries(table))};`;
  },
};

/** Gives the page the address of the style sheet that it loads with its views. */
const styles: Plugin = {
  name: 'styles',
  resolveId: (id) => (id === 'virtual:styles' ? id : null),
  load: (id) => (id === 'virtual:styles' ? `export const viewStyle = ${JSON.stringify(viewStyle)};` : null),
};

/** Writes style sheets as one. @returns its address, which changes with its content */
function writeStyle(name: string, sheets: readonly string[]): string {
  const style = sheets.map((sheet) => readFileSync(path.join(source, 'styles', sheet), 'utf8')).join('');
  const file = `assets/${name}-${createHash('sha256').update(style).digest('base64url').slice(0, 8)}.css`;
  write(file, style);
  return `/${file}`;
}

/** Writes a file plain and compressed, so that the service compresses nothing. */
function write(name: string, content: string): void {
  const file = path.join(dist, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: quality }));
}

rmSync(dist, { recursive: true, force: true });
// Styles that all views share come before those of a single view.
const shared = ['page.css', 'shell.css'];
const sheets = readdirSync(path.join(source, 'styles')).filter((name) => !shared.includes(name));
const [pageStyle, viewStyle] = [writeStyle('page', ['page.css']), writeStyle('views', ['shell.css', ...sheets])];
// What the pages take of the other packages is not built yet.
const resolve = { conditionNames: ['source', 'import', 'default'] };

/** A page that lacks a module would only fail in the browser. */
const onLog: InputOptions['onLog'] = (level, log, show) => {
  if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
  show(level, log);
};

const { output } = await build({
  cwd: source,
  input: 'main.tsx',
  resolve,
  onLog,
  plugins: [operations, styles],
  write: false,
  logLevel: 'warn',
  output: { format: 'esm', minify: true, entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' },
});
const scripts = output.filter((one) => one.type === 'chunk');
for (const { fileName, code } of scripts) write(`assets/${fileName}`, code);
const entry = scripts.find(({ isEntry }) => isEntry)?.fileName ?? '';
const page = readFileSync(path.join(source, 'index.html'), 'utf8');
write('index.html', page.replace('{{script}}', `/assets/${entry}`).replace('{{style}}', pageStyle));
writeFileSync(path.join(dist, 'paths.json'), JSON.stringify(paths));

const report = path.join(root, 'cli/commands/report/page');
const { output: bundled } = await build({
  cwd: report,
  input: 'main.ts',
  resolve,
  onLog,
  write: false,
  logLevel: 'warn',
  output: { format: 'iife' },
});
writeFileSync(path.join(report, 'page.js'), bundled[0].code);
