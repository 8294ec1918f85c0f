import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { calls, decode, makeCertificate } from '@rolecall/provider/codec';
import { bundleProvider } from '../../../tools/provider/bundle-provider.ts';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';

const main = path.resolve(import.meta.dirname, '../../../provider/main.ts');
const cookie = 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2';

interface Started {
  child: ChildProcess;
  fields: string[];
}

const children: ChildProcess[] = [];

async function start(env: Record<string, string>, program = main): Promise<Started> {
  const child = spawn(process.execPath, ['--conditions=source', program], {
    env: { PATH: process.env['PATH'], TF_PLUGIN_MAGIC_COOKIE: cookie, PLUGIN_PROTOCOL_VERSIONS: '5,6', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, fields: line.split('|') };
}

function client(address: string, identity: { key?: string; cert?: string }, server: string): ClientHttp2Session {
  return connect('https://localhost', {
    createConnection: () =>
      connectTls({ path: address, ...identity, ca: server, servername: 'localhost', ALPNProtocols: ['h2'] }),
  });
}

/** Calls a method with an empty message; gives the message of the answer, or rejects. */
async function call(session: ClientHttp2Session, name: string): Promise<Buffer> {
  const stream = session.request({
    ':method': 'POST',
    ':path': name,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  let status: unknown;
  stream.on('response', (headers) => (status ??= headers['grpc-status']));
  stream.on('trailers', (headers) => (status ??= headers['grpc-status']));
  stream.end(Buffer.alloc(5));
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  if (status !== '0') throw new Error(`gRPC status ${String(status)}`);
  return Buffer.concat(chunks).subarray(5);
}

/** The handshake leaves the padding out, which PEM wants. */
function toPem(unpadded: string): string {
  const base64 = unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, '=');
  return `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;
}

const schemaCall = '/tfplugin6.Provider/GetProviderSchema';

describe('the provider as a process', () => {
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  it('says what it is when a person starts it', async () => {
    const child = spawn(process.execPath, ['--conditions=source', main], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 1);
    assert.match(output, /Terraform starts it/);
  });

  it('serves only the holder of the certificate that Terraform announced', async () => {
    const mine = makeCertificate();
    const { fields } = await start({ PLUGIN_CLIENT_CERT: mine.cert });
    assert.deepEqual([fields[0], fields[1], fields[2], fields[4]], ['1', '6', 'unix', 'grpc']);
    const [, , , address = '', , certificate = ''] = fields;
    assert.doesNotMatch(certificate, /=/);
    const server = toPem(certificate);

    const session = client(address, mine, server);
    const schema = decode(calls.GetProviderSchema.response, await call(session, schemaCall));
    assert.ok('rolecall_person' in schema.resourceSchemas);
    session.close();

    for (const other of [makeCertificate(), {}]) {
      const stranger = client(address, other, server);
      stranger.on('error', () => undefined);
      await assert.rejects(call(stranger, schemaCall));
      stranger.destroy();
    }
  });

  it('answers UNIMPLEMENTED to what it does not serve, and goes on', async () => {
    const mine = makeCertificate();
    const { fields } = await start({ PLUGIN_CLIENT_CERT: mine.cert });
    const session = client(fields[3] ?? '', mine, toPem(fields[5] ?? ''));
    await assert.rejects(call(session, '/plugin.GRPCBroker/StartStream'), /gRPC status 12/);
    await assert.rejects(call(session, '/tfplugin6.Provider/toString'), /gRPC status 12/);
    assert.deepEqual([...(await call(session, '/grpc.health.v1.Health/Check'))], [8, 1]);
    session.close();
  });

  it('answers for its schema from the one file that every start reads', async () => {
    using folder = temporaryFolder();
    const script = path.join(folder.path, 'provider.cjs');
    await bundleProvider(script);
    for (const name of readdirSync(folder.path).filter((each) => each !== 'provider.cjs')) {
      rmSync(path.join(folder.path, name));
    }
    const mine = makeCertificate();
    const { fields } = await start({ PLUGIN_CLIENT_CERT: mine.cert }, script);
    const session = client(fields[3] ?? '', mine, toPem(fields[5] ?? ''));
    const schema = decode(calls.GetProviderSchema.response, await call(session, schemaCall));
    assert.ok('rolecall_person' in schema.resourceSchemas);
    // The rest is not there: the call fails, and so does each after it.
    await assert.rejects(call(session, '/tfplugin6.Provider/GetMetadata'), /gRPC status 13/);
    await assert.rejects(call(session, '/tfplugin6.Provider/GetMetadata'), /gRPC status 13/);
    session.close();
  });

  it('validates without reading what speaks to the workspace, or any schema of its contract', async () => {
    using folder = temporaryFolder();
    const script = path.join(folder.path, 'provider.cjs');
    await bundleProvider(script);
    const files = readdirSync(folder.path).map((name) => path.join(folder.path, name));
    // The name that it gives itself to the service, and one that zod gives to every schema.
    for (const mark of ['rolecall-terraform', '~standard']) {
      const found = files.filter((file) => existsSync(file) && readFileSync(file, 'utf8').includes(mark));
      assert.equal(found.length, 1, mark);
      for (const file of found) rmSync(file);
    }
    const mine = makeCertificate();
    const { fields } = await start({ PLUGIN_CLIENT_CERT: mine.cert }, script);
    const session = client(fields[3] ?? '', mine, toPem(fields[5] ?? ''));
    const { response } = calls.ValidateResourceConfig;
    const { diagnostics } = decode(response, await call(session, '/tfplugin6.Provider/ValidateResourceConfig'));
    assert.deepEqual(
      diagnostics.map(({ severity }) => severity),
      [1],
    );
    session.close();
  });

  it('ends when it is told to, and takes its socket along', async () => {
    const mine = makeCertificate();
    const { child, fields } = await start({ PLUGIN_CLIENT_CERT: mine.cert });
    const session = client(fields[3] ?? '', mine, toPem(fields[5] ?? ''));
    session.on('error', () => undefined);
    const ended = once(child, 'exit');
    await call(session, '/plugin.GRPCController/Shutdown');
    const [code] = (await ended) as [number];
    assert.equal(code, 0);
    assert.equal(existsSync(fields[3] ?? ''), false);
  });

  it('answers the calls that are under way before it ends', async () => {
    const mine = makeCertificate();
    const { child, fields } = await start({ PLUGIN_CLIENT_CERT: mine.cert });
    const session = client(fields[3] ?? '', mine, toPem(fields[5] ?? ''));
    session.on('error', () => undefined);
    const ended = once(child, 'exit');
    // The first call has the provider's code read, which takes a while.
    const [answer] = await Promise.all([call(session, schemaCall), call(session, '/plugin.GRPCController/Shutdown')]);
    assert.ok('rolecall_role' in decode(calls.GetProviderSchema.response, answer).resourceSchemas);
    assert.deepEqual(await ended, [0, null]);
  });

  it('goes on when the terminal sends an interrupt, as Terraform says when to stop', async () => {
    const mine = makeCertificate();
    const { child, fields } = await start({ PLUGIN_CLIENT_CERT: mine.cert });
    child.kill('SIGINT');
    const session = client(fields[3] ?? '', mine, toPem(fields[5] ?? ''));
    await call(session, '/tfplugin6.Provider/StopProvider');
    session.close();
  });

  it('ends when the process that started it is gone', async () => {
    const starter = spawn('sh', ['-c', `"${process.execPath}" --conditions=source "${main}" & cat`], {
      env: { PATH: process.env['PATH'], TF_PLUGIN_MAGIC_COOKIE: cookie },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    children.push(starter);
    const [line] = (await once(createInterface(starter.stdout), 'line')) as [string];
    const address = line.split('|')[3] ?? '';
    assert.ok(existsSync(address));
    const closed = once(starter.stdout, 'close');
    starter.kill('SIGKILL');
    // Its standard output closes when the last process that has it is gone.
    await closed;
    assert.equal(existsSync(address), false);
  });
});
