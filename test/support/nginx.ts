import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { find } from './databases/parts.ts';

/**
 * Starts the real nginx with what stands in a file of its conf.d, as a process that runs as the user of this one.
 *
 * @param folder an empty one, for its own files
 * @param answers resolves once it serves
 */
export async function startNginx(
  folder: string,
  text: string,
  answers: () => Promise<boolean>,
): Promise<AsyncDisposable> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = path.join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off;
master_process off;
pid ${folder}/pid;
events { worker_connections 256; }
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
${text}
}
`,
  );
  const args = ['-p', folder, '-c', config, '-e', path.join(folder, 'error.log')];
  const checked = spawnSync(find('nginx'), ['-t', ...args], { encoding: 'utf8' });
  if (checked.status !== 0) throw new Error(`nginx does not take the configuration: ${checked.stderr}`);
  const child = spawn(find('nginx'), args, { stdio: 'ignore' });
  for (let tries = 0; !(await answers().catch(() => false)); tries += 1) {
    if (tries === 200) {
      await stop(child);
      throw new Error('nginx does not answer');
    }
    await sleep(50);
  }
  return { [Symbol.asyncDispose]: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGQUIT');
  await exited;
}
