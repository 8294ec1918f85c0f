import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { sign } from '../../tools/release/sign.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { requires } from '../support/databases/parts.ts';

describe('the signature of a release', requires('gpg'), () => {
  for (const passphrase of ['', 'correct horse']) {
    it(`fits the checksums, and no others${passphrase === '' ? '' : ', by a key with a passphrase'}`, () => {
      using folder = temporaryFolder();
      const home = path.join(folder.path, 'keys');
      mkdirSync(home, { mode: 0o700 });
      const options = [
        '--homedir',
        home,
        '--batch',
        '--quiet',
        '--pinentry-mode',
        'loopback',
        '--passphrase',
        passphrase,
      ];
      const gpg = (...args: string[]) => execFileSync('gpg', [...options, ...args], { encoding: 'utf8' });
      try {
        gpg('--quick-generate-key', 'Releases <releases@example.com>', 'ed25519', 'sign');
        const key = gpg('--armor', '--export-secret-keys');
        const file = path.join(folder.path, 'SHA256SUMS');
        writeFileSync(file, `${'0'.repeat(64)}  one\n`);
        sign([file], { ROLECALL_RELEASE_GPG_KEY: key, ROLECALL_RELEASE_GPG_PASSPHRASE: passphrase });
        const verify = () => spawnSync('gpg', [...options, '--verify', `${file}.sig`, file], { encoding: 'utf8' });
        assert.match(verify().stderr, /Good signature from "Releases/);
        assert.notEqual(readFileSync(`${file}.sig`, 'latin1').slice(0, 5), '-----', 'the registry takes no armour');
        writeFileSync(file, `${'0'.repeat(64)}  two\n`);
        assert.notEqual(verify().status, 0);
      } finally {
        spawnSync('gpgconf', ['--homedir', home, '--kill', 'all']);
      }
    });
  }

  it('is not made with what is no private key', () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'SHA256SUMS');
    writeFileSync(file, '');
    assert.throws(() => {
      sign([file], { ROLECALL_RELEASE_GPG_KEY: 'not a key' });
    });
  });
});
