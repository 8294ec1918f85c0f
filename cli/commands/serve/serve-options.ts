import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLoopbackHost } from '@rolecall/api';
import { parseDuration } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';
import { NetworkError, parseNetwork, parseTrust, type ServiceOptions, type TlsFiles } from '@rolecall/server';
import type { CommonOptions } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { optionValue } from '../../options/option-value.ts';
import type { StoreOptions } from '../../options/store-options.ts';
import { type Environment, variable } from '../../process/io.ts';
import { readOidc, readSettings } from './settings-files.ts';

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
  publicUrl?: string;
  gatewayPostgresql?: { host: string; port: number };
  gatewayAddress?: { host: string; port: number };
  sessionIdle: string;
  sessionLength: string;
  trust?: string;
  requireTwoFactor?: true;
  adminRole?: string;
  smtpUrl?: string;
  smtpFrom?: string;
  oidc?: string;
}

/** Turns the options of the command into those of the service. @throws CliError */
export function readServeOptions(
  options: ServeOptions,
  env: Environment,
): Partial<ServiceOptions> & { drainMs: number } {
  const smtpUrl = options.smtpUrl ?? variable(env, 'ROLECALL_SMTP_URL');
  const { gatewayPostgresql: gateway, gatewayAddress } = options;
  const { host, port, metricsPort, metricsHost, maxConnections, trustedProxies } = options;
  const tls = readTls(options);
  const adminRole = options.adminRole ?? variable(env, 'ROLECALL_ADMIN_ROLE');
  const oidc = options.oidc ?? variable(env, 'ROLECALL_OIDC_FILE');
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
    ...(options.publicUrl === undefined ? {} : { publicUrl: readPublicUrl(options.publicUrl) }),
    sessionLengths: {
      idle: readSessionLength('--session-idle', options.sessionIdle),
      whole: readSessionLength('--session-length', options.sessionLength),
    },
    ...(options.requireTwoFactor === undefined ? {} : { requireTwoFactor: true }),
    ...(gateway === undefined
      ? {}
      : { gatewayPostgresql: { ...gateway, host: gateway.host === '' ? host : gateway.host } }),
    ...(gatewayAddress === undefined ? {} : { gatewayAddress }),
    ...(adminRole === undefined ? {} : { adminRole }),
    ...(smtpUrl === undefined ? {} : { mail: { url: smtpUrl, from: options.smtpFrom ?? '' } }),
    ...(oidc === undefined ? {} : { oidc: readOidc(oidc, env) }),
    ...(options.trust === undefined
      ? {}
      : { trust: readSettings('--trust', options.trust, parseTrust, { code: 'ERR_TRUST', docs: 'docs/service.md' }) }),
  };
}

function readTls({ tlsCert, tlsKey }: ServeOptions): TlsFiles | undefined {
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  const [given, missing] = tlsCert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
  throw new CliError('ERR_USAGE', `${given} is given without ${missing}: TLS needs both`);
}

/** Sessions, passkeys and redirects belong to this origin, so it has to be one that browsers trust. */
function readPublicUrl(text: string): string {
  const refuse = (why: string): CliError =>
    new CliError('ERR_USAGE', `--public-url ${visible(text)} ${why}: write it as in https://rolecall.example.com`);
  if (!URL.canParse(text)) throw refuse('is not an address');
  const { protocol, hostname, origin, href } = new URL(text);
  if (href !== `${origin}/`) throw refuse('has more than a scheme, a host and a port');
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) return origin;
  throw refuse('is not HTTPS, and not on loopback');
}

function readSessionLength(option: string, text: string): number {
  const seconds = readDuration(option, text, 'write 30m, 12h or 24h');
  if (seconds >= 60 && seconds <= 30 * 86_400) return seconds;
  throw new CliError('ERR_USAGE', `${option} ${visible(text)} is not between 1m and 30d`);
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

/** @returns seconds; 0 for "0" */
function readDuration(option: string, text: string, remedy: string): number {
  if (text === '0') return 0;
  return optionValue(option, text, parseDuration, remedy);
}
