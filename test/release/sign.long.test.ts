import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { sign } from '../../tools/release/sign.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { requires } from '../support/databases/parts.ts';
import { ThrowAwayKey } from './throw-away-key.ts';

describe('the signature of a release', requires('gpg'), () => {
  for (const passphrase of ['', 'correct horse']) {
    it(`fits the checksums, and no others${passphrase === '' ? '' : ', by a key with a passphrase'}`, () => {
      using folder = temporaryFolder();
      using key = new ThrowAwayKey(passphrase);
      const file = path.join(folder.path, 'SHA256SUMS');
      writeFileSync(file, `${'0'.repeat(64)}  one\n`);
      sign([file], { ROLECALL_RELEASE_GPG_KEY: key.secret, ROLECALL_RELEASE_GPG_PASSPHRASE: passphrase });
      assert.match(key.verify(file), /^Good signature from "Releases/);
      assert.notEqual(readFileSync(`${file}.sig`, 'latin1').slice(0, 5), '-----', 'the registry takes no armour');
      writeFileSync(file, `${'0'.repeat(64)}  two\n`);
      assert.match(key.verify(file), /^BAD signature/);
    });
  }

  it('is not made with what is no private key', () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'SHA256SUMS');
    writeFileSync(file, '');
    assert.throws(() => {
      sign([file], { ROLECALL_RELEASE_GPG_KEY: 'not a key' });
    }, /ROLECALL_RELEASE_GPG_KEY/);
  });
});
