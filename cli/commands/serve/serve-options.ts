import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLoopbackHost } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import type { ServiceOptions } from '@rolecall/server';
import type { CommonOptions } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { ListenerOptions } from '../../listening/options.ts';
import { readDuration, readListenerOptions } from '../../listening/values.ts';
import type { StoreOptions } from '../../options/store-options.ts';
import { type Environment, variable } from '../../process/io.ts';
import { readOidc, readTrust } from './settings-files.ts';

/** Options of `rolecall serve`. */
export interface ServeOptions extends CommonOptions, StoreOptions, ListenerOptions {
  port: number;
  queryRetention: string;
  queryTimeout: string;
  queryMaxBytes: number;
  auditSink?: readonly string[];
  auditSinkAuthorizationFile?: string;
  sqliteFolder?: readonly string[];
  rateLimit: number;
  rateBurst?: number;
  maxRequests: number;
  maxConnections: number;
  trustedProxies?: string[];
  publicUrl?: string;
  gatewayAddress?: { host: string; port: number };
  gatewayMysqlAddress?: { host: string; port: number };
  gatewayMariadbAddress?: { host: string; port: number };
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
  const { auditSink, publicUrl, sqliteFolder, trust } = options;
  const { host, port, queryMaxBytes, auditSinkAuthorizationFile, trustedProxies, requireTwoFactor } = options;
  const { gatewayAddress, gatewayMysqlAddress, gatewayMariadbAddress } = options;
  const smtpUrl = options.smtpUrl ?? variable(env, 'ROLECALL_SMTP_URL');
  const oidc = options.oidc ?? variable(env, 'ROLECALL_OIDC_FILE');
  if (options.rateBurst !== undefined && options.rateLimit === 0) {
    throw new CliError('ERR_USAGE', '--rate-burst needs a rate, and --rate-limit 0 means no limit');
  }
  return {
    ...readListenerOptions(options),
    ...{ host, port, queryMaxBytes, auditSinkAuthorizationFile, trustedProxies, requireTwoFactor },
    ...{ gatewayAddress, gatewayMysqlAddress, gatewayMariadbAddress },
    queryRetentionSeconds: readDuration('--query-retention', options.queryRetention, 'write 24h, 7d, or 0 for ever'),
    queryTimeoutSeconds: readDuration('--query-timeout', options.queryTimeout, 'write 10m, 1h, or 0 for no limit'),
    auditSinks: auditSink,
    limits: {
      maxConnections: options.maxConnections,
      maxInFlight: options.maxRequests,
      rateLimit: options.rateLimit,
      ...(options.rateBurst === undefined ? {} : { rateBurst: options.rateBurst }),
    },
    sqliteFolders: sqliteFolder?.map(checkFolder),
    publicUrl: publicUrl === undefined ? undefined : readPublicUrl(publicUrl),
    sessionLengths: {
      idle: readSessionLength('--session-idle', options.sessionIdle),
      whole: readSessionLength('--session-length', options.sessionLength),
    },
    adminRole: options.adminRole ?? variable(env, 'ROLECALL_ADMIN_ROLE'),
    mail: smtpUrl === undefined ? undefined : { url: smtpUrl, from: options.smtpFrom ?? '' },
    oidc: oidc === undefined ? undefined : readOidc(oidc, env),
    trust: trust === undefined ? undefined : readTrust(trust),
  };
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

/** A folder that does not exist would refuse every file without a reason. */
function checkFolder(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return resolve(folder);
  throw new CliError('ERR_USAGE', `--sqlite-folder ${visible(folder)} is not a folder: create it, or correct the path`);
}
