import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { freePort } from '../../test/support/free-port.ts';

/** A file to serve, in pieces. */
export interface PeerFile {
  ranges: { start: number; end: number }[];
}

export interface Nginx {
  url: string;
  path: string;
  stop: () => Promise<void>;
}

/**
 * Starts nginx for one file, with one process, as it comes: sendfile on, no log of requests.
 *
 * @param folder for its own files; made
 * @returns undefined where the machine has no nginx
 */
export async function startNginx(folder: string, { file }: { file: string }): Promise<Nginx | undefined> {
  const program = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((place) => join(place, 'nginx'))
    .find((candidate) => existsSync(candidate));
  if (program === undefined) {
    process.stderr.write('nginx is missing, its part is skipped: apt-get install nginx-light\n');
    return undefined;
  }
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configuration(folder, port, dirname(file)));
  const args = ['-p', folder, '-c', config, '-e', join(folder, 'error.log')];
  const checked = spawnSync(program, ['-t', ...args], { encoding: 'utf8' });
  if (checked.status !== 0) throw new Error(`nginx cannot run: ${checked.stderr}`);
  const child = spawn(program, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const path = `/${basename(file)}`;
  for (let tries = 0; ; tries += 1) {
    const answer = await request(`${url}${path}`, { method: 'HEAD' }).catch(() => undefined);
    if (answer?.statusCode === 200) break;
    if (tries === 100) throw new Error(`nginx does not serve the file: ${answer?.statusCode ?? 'no answer'}`);
    await sleep(50);
  }
  return {
    url,
    path,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGQUIT');
      await exited;
    },
  };
}

/** One process, under the user of this one and with as many cores as the service's event loop. */
function configuration(folder: string, port: number, root: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
master_process off;
pid ${folder}/pid;
events { worker_connections 256; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`;
}
