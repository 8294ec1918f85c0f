import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { listenOn } from '../../../support/relay.ts';
import { runCommand, startInProcess } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const args = (dataDir: string, ...more: string[]): string[] => ['serve', '--data', dataDir, '--port', '0', ...more];

describe('rolecall serve --gateway-postgresql', () => {
  it('says on which port clients come in, on the host of the service', async () => {
    using folder = temporaryFolder();
    const started = startInProcess(args(folder.path, '--gateway-postgresql', ':0'));
    await started.prints(/Clients of PostgreSQL come in on port [1-9]\d*: rolecall connect/);
    started.signal('SIGTERM');
    assert.equal((await started.finished).code, 0);
  });

  it('does not listen beyond loopback without TLS', async () => {
    using folder = temporaryFolder();
    const { code, stderr } = await runCommand(args(folder.path, '--gateway-postgresql', '0.0.0.0:0'));
    assert.equal(code, 1);
    assert.match(stderr, /the gateway listens on 0\.0\.0\.0 only with TLS: give it a certificate and its key/);
  });

  it('names the option whose address is in use, or is none', async () => {
    using folder = temporaryFolder();
    const other = createServer();
    const port = await listenOn(other);
    const { code, stderr } = await runCommand(args(folder.path, '--gateway-postgresql', `127.0.0.1:${port}`));
    other.close();
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`the port ${port} of 127\\.0\\.0\\.1 is in use: .*--gateway-postgresql`));
    const wrong = await runCommand(args(folder.path, '--gateway-postgresql', '6432'));
    assert.match(wrong.stderr, /It must be a host and a port, as in 127\.0\.0\.1:6432 or :6432\./);
  });
});
