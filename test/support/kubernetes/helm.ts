import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { alone, findGo } from './programs.ts';

const version = 'v3.19.5';

/** Its own releases are built so: the Kubernetes that charts are rendered for where none is asked. */
const kubernetes = { Major: '1', Minor: '34' };

/** Whether Helm can be had here, without building it. */
export function findHelm(): true | undefined {
  return onPath() || existsSync(builtHelm()) || findGo() !== undefined || undefined;
}

/**
 * Gives Helm: that of the path, or one that Go builds from its module, once on a machine: some minutes.
 *
 * @throws when there is no way to have it, or the build fails, with what Go said
 */
export async function helmProgram(say: (text: string) => void = () => undefined): Promise<string> {
  if (onPath()) return 'helm';
  const program = builtHelm();
  if (existsSync(program)) return program;
  const go = findGo();
  if (go === undefined) throw new Error('Helm is neither on the path, nor is Go to build it');
  const folder = path.dirname(program);
  await mkdir(folder, { recursive: true });
  await alone(`${folder}.lock`, async () => {
    if (existsSync(program)) return;
    say(`Building Helm ${version}, once: some minutes.`);
    const values = ['lint/rules', 'chartutil'].flatMap((name) =>
      Object.entries(kubernetes).map(([part, value]) => `-X helm.sh/helm/v3/pkg/${name}.k8sVersion${part}=${value}`),
    );
    const flags = ['-s', '-w', ...values].join(' ');
    const args = ['-n', '10', go, 'install', '-trimpath', '-ldflags', flags, `helm.sh/helm/v3/cmd/helm@${version}`];
    await promisify(execFile)('nice', args, { cwd: folder, env: { ...process.env, GOBIN: folder } });
  });
  return program;
}

let known: boolean | undefined;

function onPath(): boolean {
  if (known === undefined) {
    const { status, stdout } = spawnSync('helm', ['version', '--short'], { encoding: 'utf8' });
    known = status === 0 && stdout.startsWith('v3.');
  }
  return known;
}

function builtHelm(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
  return path.join(cache, 'rolecall', 'helm', version, 'helm');
}
