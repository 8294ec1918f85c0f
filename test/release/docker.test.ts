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
    const { bin, name } = readManifest('cli') as unknown as { bin: { rolecall: string }; name: string };
    const entry = JSON.parse(all('ENTRYPOINT')[0] ?? '[]') as string[];
    assert.equal(entry.at(-1), path.posix.join('/app/node_modules', name, bin.rolecall));
    assert.deepEqual(all('USER'), ['65532:65532']);
    const deployment = readFileSync(path.join(root, 'operator/deploy/base/deployment.yaml'), 'utf8');
    assert.match(deployment, /runAsUser: 65532/);
    assert.deepEqual(JSON.parse(all('CMD')[0] ?? '[]'), ['operator']);
  });

  it('packs every package that the command line is made of', () => {
    const [, packed = ''] = /for part in ([\w ]+);/.exec(all('RUN').join('\n')) ?? [];
    const needed = new Set(['cli']);
    for (const part of needed) {
      for (const name of Object.keys(readManifest(part).dependencies ?? {}))
        if (name.startsWith('@rolecall/')) needed.add(name.slice('@rolecall/'.length));
    }
    assert.deepEqual(packed.split(' ').toSorted(), [...needed].toSorted());
  });
});
