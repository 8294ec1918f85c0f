import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { buildOnce, findGo, runTool, type Say } from './programs.ts';

const version = 'v3.19.5';

/** Its own releases are built so: the Kubernetes that charts are rendered for where none is asked. */
const kubernetes = { Major: '1', Minor: '34' };

/** Helm, where it is on the path or was built before. */
export function findHelm(): string | undefined {
  if (onPath()) return 'helm';
  const program = builtHelm();
  return existsSync(program) ? program : undefined;
}

/**
 * Builds Helm from its module with Go unless it is here. As with the kube-apiserver, no test does it.
 *
 * @throws when Go is missing, or the build fails, with what Go said
 */
export async function buildHelm(say: Say, signal?: AbortSignal): Promise<string> {
  const found = findHelm();
  if (found !== undefined) return found;
  const go = findGo();
  if (go === undefined) throw new Error('Helm is not on the path, nor is Go to build it');
  const program = builtHelm();
  const values = ['lint/rules', 'chartutil'].flatMap((name) =>
    Object.entries(kubernetes).map(([part, value]) => `-X helm.sh/helm/v3/pkg/${name}.k8sVersion${part}=${value}`),
  );
  const args = [
    'install',
    '-trimpath',
    '-ldflags',
    ['-s', '-w', ...values].join(' '),
    `helm.sh/helm/v3/cmd/helm@${version}`,
  ];
  const folder = path.dirname(program);
  await buildOnce(program, `Helm ${version}`, say, () =>
    runTool(go, args, { cwd: folder, env: { ...process.env, GOBIN: folder } }, signal),
  );
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
