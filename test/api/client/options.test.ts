import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClientOptions, createClient, isPlaintextRemote, OptionsError } from '@rolecall/api';

const good: ClientOptions = { url: 'https://workspace.example.com', keyId: 'k', keySecret: 's3cr3t' };

describe('the options of a client', () => {
  it('are refused with the option and the remedy, never with a secret', () => {
    const wrong: [Partial<ClientOptions>, RegExp][] = [
      [{ url: 'workspace.example.com' }, /url is not a URL; write it as/],
      [{ url: 'ftp://workspace' }, /url begins with ftp:/],
      [{ url: 'https://ada:s3cr3t@workspace' }, /url contains credentials/],
      [{ url: 'https://s3cr3t@workspace' }, /url contains credentials/],
      [{ url: 'https://workspace/?s3cr3t' }, /query string/],
      [{ url: 'https://workspace/#s3cr3t' }, /fragment/],
      [{ url: 'https://workspace/api/v2/' }, /must not end in \/api\/v2/],
      [{ keyId: '' }, /keyId/],
      [{ keyId: 's3cr3t:x' }, /colon/],
      [{ keySecret: '' }, /keySecret/],
      [{ connections: 0 }, /connections must be a whole number of at least 1/],
      [{ retries: { attempts: 0 } }, /retries\.attempts/],
      [{ retries: { baseDelayMs: -1 } }, /retries\.baseDelayMs/],
      [{ timeouts: { headersMs: 1.5 } }, /timeouts\.headersMs/],
      [{ maxAnswerBytes: Number.NaN }, /maxAnswerBytes/],
    ];
    for (const [option, message] of wrong) {
      assert.throws(
        () => createClient({ ...good, ...option }),
        (error: unknown) => {
          assert.ok(error instanceof OptionsError);
          assert.match(error.message, message);
          assert.ok(!error.message.includes('s3cr3t'));
          return true;
        },
      );
    }
  });

  it('that are undefined count as left out', async () => {
    const { client } = { client: createClient({ ...good, connections: undefined, retries: {}, timeouts: undefined }) };
    await client.close();
  });
});

describe('isPlaintextRemote', () => {
  it('tells whether an API key can be read on the way', () => {
    const remote = [
      'http://workspace.example.com',
      'http://10.0.0.1:8080/x',
      'http://127.evil.example',
      'http://[::2]',
    ];
    for (const url of remote) assert.equal(isPlaintextRemote(url), true, url);
    const safe = [
      'https://workspace.example.com',
      'http://localhost:8080',
      'http://127.0.0.1',
      'http://127.1',
      'http://[::1]:80',
      'http://a.localhost',
      'nonsense',
    ];
    for (const url of safe) assert.equal(isPlaintextRemote(url), false, url);
  });
});
