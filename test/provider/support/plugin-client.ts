import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { schemaJson } from '@rolecall/provider';
import { encodeValue, type Type, type Value } from '@rolecall/provider/codec';
import { startWorkspace, type TestWorkspace } from '../../cli/support/workspace.ts';
import { type Attached, attach } from './terraform.ts';

/** A field of a message as it stands on the wire: its number, and bytes or a number. */
export type WireField = readonly [number: number, value: Buffer | number];

export interface PluginClient extends Disposable {
  /** Calls a method of tfplugin6.Provider with these fields; gives the fields of each message that is answered. */
  readonly call: (name: string, request: readonly WireField[]) => Promise<WireField[][]>;
}

/**
 * Speaks the plugin protocol with nothing of the provider's own tables: only numbers of fields, as they stand in
 * docs/plugin-protocol/tfplugin6.proto of https://github.com/hashicorp/terraform (v1.14.0).
 */
export function connectPlugin({ variable }: Pick<Attached, 'variable'>): PluginClient {
  const [server] = Object.values(JSON.parse(variable) as Record<string, { Addr: { String: string } }>);
  const session = connect('http://localhost', { createConnection: () => connectSocket(server?.Addr.String ?? '') });
  return {
    call: async (name, request) => {
      const answers = await exchange(session, `/tfplugin6.Provider/${name}`, writeWire(request));
      return answers.map(readWire);
    },
    [Symbol.dispose]: () => {
      session.close();
    },
  };
}

/** A workspace, and a provider that is configured for it. */
export interface Plugin extends AsyncDisposable {
  readonly workspace: TestWorkspace;
  readonly client: PluginClient;
}

export async function startPlugin(): Promise<Plugin> {
  const workspace = await startWorkspace();
  const attached = await attach(workspace);
  const client = connectPlugin(attached);
  // ConfigureProvider.Request: terraform_version = 1, config = 2.
  const [refused] = await client.call('ConfigureProvider', [
    [1, Buffer.from('1.14.0')],
    [2, emptyConfiguration()],
  ]);
  assert.deepEqual(refused, []);
  return {
    workspace,
    client,
    [Symbol.asyncDispose]: async () => {
      client[Symbol.dispose]();
      attached.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

async function exchange(session: ClientHttp2Session, path: string, message: Buffer): Promise<Buffer[]> {
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request(headers);
  let status: unknown;
  for (const event of ['response', 'trailers'] as const) {
    stream.on(event, (received: Record<string, unknown>) => (status ??= received['grpc-status']));
  }
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([head, message]));
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  if (status !== '0') throw new Error(`${path}: gRPC status ${String(status)}`);
  const answers: Buffer[] = [];
  for (let rest = Buffer.concat(chunks); rest.length > 0; ) {
    const end = 5 + rest.readUInt32BE(1);
    answers.push(rest.subarray(5, end));
    rest = rest.subarray(end);
  }
  return answers;
}

interface ProviderSchema {
  provider_schemas: Record<string, { provider: { block: { attributes: Record<string, { type: Type }> } } }>;
}

/** A provider configuration that says nothing, as Terraform sends it: every attribute of the schema, each null. */
export function emptyConfiguration(): Buffer {
  const [{ provider } = { provider: { block: { attributes: {} } } }] = Object.values(
    (schemaJson() as ProviderSchema).provider_schemas,
  );
  const attributes = Object.entries(provider.block.attributes);
  const type: Type = ['object', Object.fromEntries(attributes.map(([name, each]) => [name, each.type]))];
  return dynamic(type, Object.fromEntries(attributes.map(([name]) => [name, null])));
}

/** A DynamicValue, whose field 1 is MessagePack. */
export function dynamic(type: Type, value: Value): Buffer {
  return writeWire([[1, encodeValue(type, value)]]);
}

export function writeWire(fields: readonly WireField[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) =>
      typeof value === 'number'
        ? [varint(number * 8), varint(value)]
        : [varint(number * 8 + 2), varint(value.length), value],
    ),
  );
}

export function readWire(message: Buffer): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = read();
    const value = read();
    if (tag % 8 === 0) fields.push([Math.floor(tag / 8), value]);
    else {
      fields.push([Math.floor(tag / 8), message.subarray(at, at + value)]);
      at += value;
    }
  }
  return fields;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  return Buffer.from([...bytes, rest]);
}

/** The bytes of the field of that number; fails where there is none. */
export function bytesOf(fields: readonly WireField[], number: number): Buffer {
  const found = fields.find(([each]) => each === number)?.[1];
  if (!Buffer.isBuffer(found)) throw new Error(`no field ${number}`);
  return found;
}
