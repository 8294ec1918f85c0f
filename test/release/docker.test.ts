import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readManifest } from '../../tools/packages.ts';
import { root } from '../cli/support/run-command.ts';
import { readDockerfile } from './docker.ts';

const all = (name: string): string[] =>
  readDockerfile().flatMap(({ instruction, rest }) => (instruction === name ? [rest] : []));

describe('the Dockerfile', () => {
  it('runs the command line of the packages, as the user of the manifests', () => {
    const { bin } = readManifest('cli') as unknown as { bin: { rolecall: string } };
    const entry = JSON.parse(all('ENTRYPOINT')[0] ?? '[]') as string[];
    assert.equal(entry.at(-1), path.posix.join('/app', bin.rolecall));
    assert.deepEqual(all('USER'), ['65532:65532']);
    const deployment = readFileSync(path.join(root, 'operator/deploy/base/deployment.yaml'), 'utf8');
    assert.match(deployment, /runAsUser: 65532/);
    assert.deepEqual(JSON.parse(all('CMD')[0] ?? '[]'), ['operator']);
  });

  it('installs from the lock, and resolves nothing anew', () => {
    const commands = all('RUN').join('\n');
    assert.match(commands, /^npm ci /m);
    assert.doesNotMatch(commands, /npm (install|i|add|update)\b/);
  });
});
