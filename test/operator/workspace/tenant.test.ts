import assert from 'node:assert/strict';
import dns from 'node:dns';
import { createServer, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { describe, it } from 'node:test';
import { ask } from '../../support/kubernetes/admin-client.ts';
import { listenOn } from '../../support/relay.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

type Answer = Parameters<typeof createServer>[1];

/** Something that only the operator's pod can reach, and that is no workspace service. */
async function startInner(answer: NonNullable<Answer>) {
  const server = createServer(answer);
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Does something every so often while a response is open. */
function each(ms: number, response: ServerResponse, send: () => void): void {
  const timer = setInterval(send, ms);
  response.once('close', () => {
    clearInterval(timer);
  });
}

describe('who may create a Workspace, and points it to an address that only the operator reaches', () => {
  const suite = useInstallation();

  /** All that such a person can read: the statuses and the Events of the namespace. */
  async function readBy(url: string, answerMs?: number): Promise<{ all: string; message: string }> {
    const space = await suite.all.namespace({ url });
    await suite.operate({ namespace: space.name, ...(answerMs === undefined ? {} : { answerMs }) });
    await space.create('Person', 'ada', person('ada'));
    const message = await space.reason('Workspace', 'workspace', 'Unreachable');
    await space.reason('Person', 'ada', 'WorkspaceNotReady');
    const objects = [await space.get('Workspace', 'workspace'), await space.get('Person', 'ada')];
    const events = await ask(suite.all.kube, 'GET', `/apis/events.k8s.io/v1/namespaces/${space.name}/events`);
    return { all: JSON.stringify([objects, events]), message };
  }

  const refused = ({ warnings }: { warnings: readonly string[] }) =>
    warnings.filter((warning) => warning.includes('address of the Workspace'));

  it('is told in the log of the operator, once for each address', async () => {
    const space = await suite.all.namespace({ url: 'http://169.254.169.254' });
    const operating = await suite.operate({ namespace: space.name, addresses: {} });
    await space.reason('Workspace', 'workspace', 'AddressDenied');
    // Each of them looks for the workspace again.
    for (const name of ['ada', 'grace']) {
      await space.create('Person', name, person(name));
      await space.reason('Person', name, 'WorkspaceNotReady');
    }
    const why = 'its host is 169.254.169.254, to which this operator does not connect';
    const about = `the address of the Workspace ${space.name}/workspace is refused`;
    assert.deepEqual(refused(operating), [`${about}: http://169.254.169.254: ${why}`]);
  });

  it('is told in the log too, where only the name server shows where the address leads', async (t) => {
    const { lookup } = dns;
    type Done = (error: NodeJS.ErrnoException | null, found: dns.LookupAddress[]) => void;
    const resolve = (host: string, options: dns.LookupAllOptions, done: Done): void => {
      lookup(host === 'inner.example' ? '169.254.169.254' : host, options, done);
    };
    const mocked = t.mock.method(dns, 'lookup', resolve);
    syncBuiltinESMExports();
    try {
      const space = await suite.all.namespace({ url: 'http://inner.example' });
      const operating = await suite.operate({ namespace: space.name, addresses: {} });
      await space.reason('Workspace', 'workspace', 'Unreachable');
      const about = `the address of the Workspace ${space.name}/workspace is refused`;
      assert.deepEqual(refused(operating), [`${about}: this operator does not connect to inner.example`]);
    } finally {
      mocked.mock.restore();
      syncBuiltinESMExports();
    }
  });

  const answers: Readonly<Record<string, NonNullable<Answer>>> = {
    'a text': (_request, response) => response.end('role: inner-secret'),
    'a page': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>inner-secret</p>'),
    JSON: (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('[{"id":"inner-secret"}]'),
    'an error': (_request, response) => response.writeHead(500).end('inner-secret'),
    'a redirect': (_request, response) =>
      response.writeHead(302, { location: 'http://inner-secret.example/inner-secret' }).end(),
    'a header': (_request, response) => response.writeHead(200, { 'content-type': 'text/inner-secret' }).end('x'),
  };
  for (const [what, answer] of Object.entries(answers)) {
    it(`reads nothing of its answer: ${what}`, async () => {
      await using inner = await startInner(answer);
      const { all, message } = await readBy(inner.url);
      assert.ok(!all.includes('inner-secret'), all);
      assert.match(message, /is not a workspace service .*spec\.url/);
    });
  }

  const slowly: Readonly<Record<string, NonNullable<Answer>>> = {
    'an answer of a blank at a time': (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      each(50, response, () => response.write(' '));
    },
    'interim answers': (_request, response) => {
      each(50, response, () => {
        response.writeProcessing();
      });
    },
  };
  for (const [what, answer] of Object.entries(slowly)) {
    it(`cannot have it wait for ever: ${what}`, async () => {
      await using inner = await startInner(answer);
      assert.match((await readBy(inner.url, 200)).message, /too slowly/);
    });
  }

  it('cannot have it keep an answer without end', async () => {
    let sent = 0;
    await using inner = await startInner((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      const more = (): void => {
        while (!response.destroyed && sent < 500) {
          sent += 1;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
      };
      more();
    });
    const { message } = await readBy(inner.url);
    assert.match(message, /too large/);
    assert.ok(sent < 150, `${sent} MiB were taken`);
  });
});
