/**
 * `npm run docs`: builds the documentation as a site into `dist/site`. The first time, npm installs what only the site needs in
 * `site/`; after that, no network is needed. `--serve` shows the site while you write. `--address https://docs.example.com/` says
 * where it will be, and `--release` builds it for the folder of this version there, such as v1.2.3/.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const folder = path.resolve(import.meta.dirname, '../site');
const { values } = parseArgs({
  options: {
    serve: { type: 'boolean', default: false },
    address: { type: 'string', default: '/' },
    release: { type: 'boolean', default: false },
  },
});

if (!isInstalled()) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  execFileSync('npm', ['ci', ...options], { cwd: folder, stdio: 'inherit' });
}
const vitepress = ['node_modules/vitepress/bin/vitepress.js', values.serve ? 'dev' : 'build'];
const { status } = spawnSync(process.execPath, vitepress, {
  cwd: folder,
  env: {
    ...process.env,
    ROLECALL_SITE_ADDRESS: values.address.replace(/\/?$/, '/'),
    ROLECALL_SITE_RELEASE: values.release ? '1' : '',
  },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

/** npm writes the first file when it has installed what the second says. */
function isInstalled(): boolean {
  const installed = path.join(folder, 'node_modules/.package-lock.json');
  return (
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(path.join(folder, 'package-lock.json')).mtimeMs
  );
}
