import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseDuration } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';
import {
  NetworkError,
  parseNetwork,
  parseTrust,
  type ServiceOptions,
  type TlsFiles,
  TrustError,
  type TrustProblem,
  type TrustRule,
} from '@rolecall/server';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { CommonOptions } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { optionValue } from '../../options/option-value.ts';
import type { StoreOptions } from '../../options/store-options.ts';

/** What `rolecall serve` takes. */
export interface ServeOptions extends CommonOptions, StoreOptions {
  host: string;
  port: number;
  logLevel: string;
  queryRetention: string;
  queryTimeout: string;
  queryMaxBytes: number;
  auditStatements: 'text' | 'digest';
  auditSink?: readonly string[];
  auditSinkAuthorizationFile?: string;
  denyNetwork?: readonly string[];
  allowNetwork?: readonly string[];
  sqliteFolder?: readonly string[];
  tlsCert?: string;
  tlsKey?: string;
  metricsPort?: number;
  metricsHost: string;
  rateLimit: number;
  rateBurst?: number;
  maxRequests: number;
  maxConnections: number;
  trustedProxies?: string[];
  shutdownGrace: string;
  trust?: string;
}

/** Turns the options of the command into those of the service. @throws CliError */
export function readServeOptions(options: ServeOptions): Partial<ServiceOptions> & { drainMs: number } {
  const { host, port, metricsPort, metricsHost, maxConnections, trustedProxies } = options;
  const tls = readTls(options);
  if (options.rateBurst !== undefined && options.rateLimit === 0) {
    throw new CliError('ERR_USAGE', '--rate-burst needs a rate, and --rate-limit 0 means no limit');
  }
  return {
    host,
    port,
    queryRetentionSeconds: readDuration('--query-retention', options.queryRetention, 'write 24h, 7d, or 0 for ever'),
    queryTimeoutSeconds: readDuration('--query-timeout', options.queryTimeout, 'write 10m, 1h, or 0 for no limit'),
    queryMaxBytes: options.queryMaxBytes,
    auditStatements: options.auditStatements,
    ...(options.auditSink === undefined ? {} : { auditSinks: options.auditSink }),
    ...(options.auditSinkAuthorizationFile === undefined
      ? {}
      : { auditSinkAuthorizationFile: options.auditSinkAuthorizationFile }),
    drainMs: readDuration('--shutdown-grace', options.shutdownGrace, 'write 10s, 1m, or 0 to stop at once') * 1000,
    limits: {
      maxConnections,
      maxInFlight: options.maxRequests,
      rateLimit: options.rateLimit,
      ...(options.rateBurst === undefined ? {} : { rateBurst: options.rateBurst }),
    },
    deniedNetworks: checkNetworks('--deny-network', options.denyNetwork),
    allowedNetworks: checkNetworks('--allow-network', options.allowNetwork),
    ...(options.sqliteFolder === undefined ? {} : { sqliteFolders: options.sqliteFolder.map(checkFolder) }),
    ...(tls === undefined ? {} : { tls }),
    ...(metricsPort === undefined ? {} : { metricsListener: { host: metricsHost, port: metricsPort } }),
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
    ...(options.trust === undefined ? {} : { trust: readTrust(options.trust) }),
  };
}

function readTls({ tlsCert, tlsKey }: ServeOptions): TlsFiles | undefined {
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  const [given, missing] = tlsCert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
  throw new CliError('ERR_USAGE', `${given} is given without ${missing}: TLS needs both`);
}

function checkNetworks(option: string, networks: readonly string[] = []): readonly string[] {
  for (const network of networks) {
    try {
      parseNetwork(network);
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      throw new CliError('ERR_USAGE', `${option} ${visible(network)} ${error.message}`);
    }
  }
  return networks;
}

/** A folder that does not exist would refuse every file without a reason. */
function checkFolder(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return resolve(folder);
  throw new CliError('ERR_USAGE', `--sqlite-folder ${visible(folder)} is not a folder: create it, or correct the path`);
}

/** Reads a trust file. @throws CliError that names the line and the field */
function readTrust(file: string): TrustRule[] {
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines });
  const [syntax] = document.errors;
  if (syntax !== undefined) throw new CliError('ERR_TRUST', `--trust ${visible(file)}: ${visible(syntax.message)}`);
  try {
    return parseTrust(document.toJS({ maxAliasCount: 0 }));
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    const told = error.problems.map(({ path, message }) => {
      const { line } = lines.linePos(rangeOf(document, path));
      return `${visible(file)}:${line}: ${path.length === 0 ? 'it' : visible(path.join('.'))} ${message}`;
    });
    throw new CliError('ERR_TRUST', `--trust has errors. ${told.join('; ')}. docs/service.md has examples`);
  }
}

/** Where a field begins, or the object that it is missing from. */
function rangeOf(document: Document, path: TrustProblem['path']): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range !== null && node.range !== undefined) return node.range[0];
  }
  return 0;
}

/** @returns seconds; 0 for "0" */
function readDuration(option: string, text: string, remedy: string): number {
  if (text === '0') return 0;
  return optionValue(option, text, parseDuration, remedy);
}
