import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { IdTokenError } from '../../../api/client/errors.ts';
import { findIdToken, readIdToken } from '../../../api/client/id-token.ts';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';

const audience = 'https://workspace.example.com';

function tokenOf(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
}

describe('the token of a platform', () => {
  const folder = temporaryFolder();
  after(() => {
    folder[Symbol.dispose]();
  });
  const at = (name: string) => path.join(folder.path, name);
  const read = (file: string) => readIdToken({ from: 'file', name: 'ROLECALL_ID_TOKEN_FILE', file }, audience);
  const refused = (message: RegExp) => (error: unknown) => error instanceof IdTokenError && message.test(error.message);

  it('is read from a file each time, also by the links through which Kubernetes replaces it, without white space', async () => {
    for (const [version, token] of [
      ['one', tokenOf({ aud: audience, jti: '1' })],
      ['two', tokenOf({ aud: [audience], jti: '2' })],
    ] as const) {
      mkdirSync(at(version));
      writeFileSync(path.join(at(version), 'token'), `\n${token}\r\n`);
      symlinkSync(path.join(at(version), 'token'), at(`link-${version}`));
      assert.equal(await read(at(`link-${version}`)), token);
    }
  });

  it('is not read from what is no regular file, too large, empty or away, and nothing waits for a pipe', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    mkdirSync(at('folder'));
    writeFileSync(at('large'), 'a'.repeat(24_001));
    writeFileSync(at('empty'), '');
    await assert.rejects(read(at('pipe')), refused(/ROLECALL_ID_TOKEN_FILE names .*pipe, which is not a regular file/));
    await assert.rejects(read('/dev/zero'), refused(/is not a regular file/));
    await assert.rejects(read(at('folder')), refused(/is not a regular file|EISDIR/));
    await assert.rejects(read(at('large')), refused(/is too large for a token/));
    await assert.rejects(read(at('empty')), refused(/is not a JSON Web Token/));
    await assert.rejects(read(at('away')), refused(/cannot be read \(ENOENT\)/));
  });

  it('is given only where it is for the service that it is sent to, and for no other besides', async () => {
    const given = async (claims: object, expected = audience) =>
      readIdToken({ from: 'value', name: 'ROLECALL_ID_TOKEN', token: tokenOf(claims) }, expected);
    assert.ok(await given({ aud: `${audience}/` }));
    assert.ok(await given({ aud: 'rolecall' }, 'rolecall'));
    for (const aud of [undefined, null, 7, [], '', 'https://kubernetes.default.svc', `${audience}.evil.example`]) {
      await assert.rejects(given({ aud }), refused(/so it was not sent/), String(aud));
    }
    await assert.rejects(given({ aud: [audience, 'https://other.example'] }), refused(/so it was not sent/));
    await assert.rejects(given({ aud: audience }, 'https://evil.example'), refused(/evil\.example is expected/));
    const noClaims = { from: 'value', name: 'ROLECALL_ID_TOKEN', token: 'e30.bm8.AA' } as const;
    await assert.rejects(readIdToken(noClaims, audience), refused(/not a JSON Web Token with claims/));
  });

  it('is the one that was given, before the one that the runner of GitHub gives every program', () => {
    const runner = { ACTIONS_ID_TOKEN_REQUEST_URL: 'http://runner', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x' };
    const from = (env: Record<string, string>) => findIdToken(env)?.from;
    assert.equal(from({ ...runner, ROLECALL_ID_TOKEN: 'a.b.c', ROLECALL_ID_TOKEN_FILE: 'f' }), 'value');
    assert.equal(from({ ...runner, ROLECALL_ID_TOKEN: '', ROLECALL_ID_TOKEN_FILE: 'f' }), 'file');
    assert.equal(from(runner), 'github');
    assert.equal(from({ ...runner, ACTIONS_ID_TOKEN_REQUEST_TOKEN: '' }), undefined);
  });
});
