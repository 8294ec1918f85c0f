import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { extract } from 'tar';

/** The release whose figures are kept. */
const release = 'dbgate-web@7.2.2';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** DbGate's page, as its package on npm has it, served compressed and from memory. */
export async function serveDbGate(folder: string): Promise<{ url: string; stop: () => void }> {
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const [file] = JSON.parse(execFileSync('npm', ['pack', release, '--json'], options)) as [{ filename: string }];
  await extract({ file: path.join(folder, file.filename), cwd: folder });
  const root = path.join(folder, 'package', 'public');
  const files = new Map<string, Buffer>();
  const server = createServer(({ url = '/' }, response) => {
    const name = new URL(url, 'http://localhost').pathname.replace(/^\/$/, '/index.html');
    const place = path.join(root, path.normalize(name));
    if (!existsSync(place)) {
      response.writeHead(404).end();
      return;
    }
    const body = files.get(place) ?? gzipSync(readFileSync(place));
    files.set(place, body);
    const type = types[path.extname(place)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server of the page has no port');
  return { url: `http://127.0.0.1:${address.port}/`, stop: () => server.close() };
}
