import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Act, json, problem, raw, scriptedServer } from '../../api/client/scripted-server.ts';
import { listenOn } from '../../support/relay.ts';
import { runCommand } from '../support/run-command.ts';
import { team } from '../support/workspace.ts';

const secret = 's3cret-of-the-key';

/** A workspace without anything. */
const empty = { dataSources: [], people: [], roles: [], rolePeople: [], roleDataSources: [], permissions: [] };

/** What answers in the place of a workspace, and what the message must say. */
const answers: Readonly<Record<string, readonly [Act, RegExp]>> = {
  'a page of a proxy': [
    raw(200, { 'content-type': 'text/html' }, '<html><title>Sign in</title>Please sign in to Acme</html>'),
    /the body is not JSON; check that the URL is the workspace service itself.* Please sign in to Acme/,
  ],
  'a page of an error': [
    raw(404, { 'content-type': 'text/html' }, '<h1>No such page</h1>'),
    /is not an error of a workspace service; check the URL/,
  ],
  'JSON of another service': [
    json({ status: 'ok' }),
    /the field dataSources is wrong: .*Check that the URL is that of a workspace/,
  ],
  'values of the wrong type': [
    json({
      ...empty,
      people: [{ id: 7, name: 'Ada', username: 'ada', email: 'a@b.example', createdAt: 'x', isLocked: 'no' }],
    }),
    /the field people\[0\]\.\w+ is wrong: .*Check that the URL is that of a workspace/,
  ],
  'objects without their fields': [json({ ...empty, roles: [{ id: 'a' }] }), /the field roles\[0\]\.\w+ is wrong: /],
  'half of an answer': [raw(200, { 'content-type': 'application/json' }, '[{"id":'), /no complete JSON \(7 bytes\)/],
  'a redirect': [
    (response, request) => response.writeHead(302, { location: `http://127.0.0.1:1${request.url ?? ''}` }).end(),
    /a redirect, which the client does not follow\. Use http:\/\/127\.0\.0\.1:1 as the service's URL/,
  ],
  'a bomb of gzip': [
    raw(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000))),
    /the body is compressed although the client did not ask for it/,
  ],
  'an answer without an end': [
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1 << 20, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
    /larger than/,
  ],
};

/** The paths of calls by POST that change nothing in a workspace. */
const harmless = new Set(['/api/v2/snapshot', '/api/v2/lease']);

describe('a workspace that answers nonsense', () => {
  for (const [what, [act, message]] of Object.entries(answers)) {
    for (const command of [['plan'], ['apply', '--yes']]) {
      it(`is an error of ${command[0] ?? ''} that names the call, and nothing is written: ${what}`, async () => {
        // An apply asks for the lease first, which this service does not have.
        await using server = await (command[0] === 'apply'
          ? scriptedServer(problem('not_found'), act)
          : scriptedServer(act));
        const { code, stdout, stderr } = await runCommand([...command, team], { env: environment(server.url) });
        assert.equal(code, 1);
        assert.match(stderr, message);
        assert.match(stderr, /(GET|POST) \/api\/v2\/[a-z-]+/, 'the call is named');
        assert.doesNotMatch(stderr, /not foreseen/);
        assert.equal(stdout, '', 'nothing is half planned');
        const writes = server.received.filter(({ method, url }) => method !== 'GET' && !harmless.has(url));
        assert.deepEqual(writes, []);
        assert.doesNotMatch(stderr, new RegExp(secret));
      });
    }
  }

  it('is given up for --timeout as it is written, or not called', async () => {
    const { code, stderr } = await runCommand(['plan', team, '--timeout', 'soon'], {
      env: environment('http://127.0.0.1:1'),
    });
    assert.deepEqual([code, stderr], [1, 'error: --timeout soon is not a duration: write it as in --timeout 30s\n']);
  });

  it('is an error that names the call when it is no HTTP at all', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const port = await listenOn(server);
    const { code, stdout, stderr } = await runCommand(['plan', team], { env: environment(`http://127.0.0.1:${port}`) });
    server.close();
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /POST \/api\/v2\//);
    assert.doesNotMatch(stderr, /carried out/, 'a call that only reads');
  });
});

function environment(url: string) {
  return {
    ROLECALL_URL: url,
    ROLECALL_KEY_ID: 'id',
    ROLECALL_KEY_SECRET: secret,
    TEAM_BILLING_PASSWORD: 'x',
  };
}
