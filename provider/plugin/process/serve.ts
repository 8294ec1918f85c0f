import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Http2SecureServer, Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGrpcServer, type LazyMethods, type Methods, type Tls } from '../grpc/server.ts';
import { makeCertificate } from './certificate.ts';
import { createLog, type Log } from './log.ts';

/** Proof that Terraform, and not a person, started this program (go-plugin's magic cookie). */
const cookieName = 'TF_PLUGIN_MAGIC_COOKIE';
const cookieValue = 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2';
/** Of the handshake itself, and of Terraform's plugin protocol. */
const coreVersion = 1;
const protocolVersion = 6;
/** `{ status: SERVING }` of grpc.health.v1. */
const serving = Buffer.of(0x08, 0x01);

export interface ServeOptions {
  /** The provider's name, as in `rolecall`. */
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes the one line of the handshake. */
  readonly announce: (line: string) => void;
  readonly logLine: (line: string) => void;
  /** Ends the process. */
  readonly exit: (code: number) => void;
}

/** Why this program does not serve; for a person to read. */
export function refusal(env: ServeOptions['env'], usage: string): string | undefined {
  if (env[cookieName] !== cookieValue) return usage;
  const versions = env['PLUGIN_PROTOCOL_VERSIONS']?.split(',') ?? [];
  if (versions.length > 0 && !versions.includes(String(protocolVersion))) {
    return `This provider speaks version ${protocolVersion} of the plugin protocol and Terraform asks for ${versions.join(', ')}: use Terraform 1.8 or newer.`;
  }
  return undefined;
}

/** A provider whose code is read when it is needed. */
export interface Served {
  /** Gives what opens the methods of one connection. */
  readonly load: () => Promise<(log: Log) => Methods>;
  /**
   * The answer to GetProviderSchema, where it was made beforehand. Terraform starts a provider for nothing else at every
   * command, and such a start then reads none of its code.
   */
  readonly schema: Buffer | undefined;
}

/**
 * Serves a provider as Terraform expects it of a plugin: a line on standard output that says where, then gRPC with
 * mutual TLS until Terraform ends it, or is gone itself (github.com/hashicorp/go-plugin, docs/internals.md).
 */
export async function serve(served: Served, { name, env, announce, logLine, exit }: ServeOptions): Promise<void> {
  const log = createLog(name, env, logLine);
  const client = env['PLUGIN_CLIENT_CERT'];
  const certificate = client === undefined || client === '' ? undefined : makeCertificate();
  const tls =
    certificate === undefined || client === undefined
      ? undefined
      : { ...certificate, client: new X509Certificate(client).raw };
  const listener = await listen(served, log, tls, () => {
    end(0);
  });
  const end = (code: number): void => {
    listener.close();
    exit(code);
  };
  watchParent(() => {
    log('warn', 'Terraform is gone');
    end(1);
  });
  const certificateField = certificate === undefined ? '' : certificate.der.toString('base64').replace(/=+$/, '');
  announce([coreVersion, protocolVersion, listener.network, listener.address, 'grpc', certificateField].join('|'));
  log('debug', 'serving');
}

export interface Listener {
  readonly network: 'unix' | 'tcp';
  readonly address: string;
  readonly close: () => void;
}

/** Listens on a socket that only this user reaches; on Windows on a port of this machine. */
export async function listen(served: Served, log: Log, tls: Tls | undefined, shutdown: () => void): Promise<Listener> {
  const plugin = pluginServices(() => {
    // Not before the answer to this call is on its way, which counts as one then.
    void Promise.race([answered(), timeout()]).then(shutdown);
  });
  const open = (): LazyMethods => {
    const methods = openWhenAsked(served, log);
    return (path) => plugin(path) ?? methods(path);
  };
  const { server, answered } = createGrpcServer(open, tls, (error) => {
    log('debug', `connection: ${error instanceof Error ? error.message : String(error)}`);
  });
  return process.platform === 'win32' ? listenOnPort(server) : listenOnSocket(server);
}

const service = '/tfplugin6.Provider/';

/** The methods of one connection. The provider's code is read at the first call that needs it. */
function openWhenAsked({ load, schema }: Served, log: Log): LazyMethods {
  let opening: Promise<Methods> | undefined;
  let opened: Methods | undefined;
  const open = async (): Promise<Methods> => {
    opened = (await load())(log);
    return opened;
  };
  return (path) => {
    if (!path.startsWith(service)) return undefined;
    if (opened !== undefined) return opened(path);
    if (schema !== undefined && path === `${service}GetProviderSchema`) return () => Promise.resolve(schema);
    opening ??= open();
    return opening.then((methods) => methods(path));
  };
}

/** Answers in flight keep the process no longer than this: Terraform kills it after two seconds. */
function timeout(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1000);
  });
}

async function listenOnSocket(server: Http2Server | Http2SecureServer): Promise<Listener> {
  const folder = mkdtempSync(path.join(tmpdir(), 'terraform-provider-'));
  const address = path.join(folder, randomBytes(4).toString('hex'));
  server.listen(address);
  await once(server, 'listening');
  return {
    network: 'unix',
    address,
    close: () => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listenOnPort(server: Http2Server | Http2SecureServer): Promise<Listener> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return { network: 'tcp', address: `127.0.0.1:${port}`, close: () => server.close() };
}

/** The time between two checks for the parent, in milliseconds. */
const parentInterval = 1000;

/** Notices when the process that started this one is gone: the plugin would run for ever otherwise. */
function watchParent(onGone: () => void): void {
  const first = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === first) return;
    clearInterval(timer);
    onGone();
  }, parentInterval);
  timer.unref();
}

/**
 * The services of go-plugin that a plugin answers beside its own (github.com/hashicorp/go-plugin, internal/plugin).
 *
 * @param shutdown ends the process soon: Terraform kills one that does not after two seconds, which every command would
 *   wait for
 */
function pluginServices(shutdown: () => void): Methods {
  return (path) => {
    switch (path) {
      case '/grpc.health.v1.Health/Check':
        return () => Promise.resolve(serving);
      case '/plugin.GRPCController/Shutdown':
        return () => {
          shutdown();
          return Promise.resolve(Buffer.alloc(0));
        };
      default:
        return undefined;
    }
  };
}
