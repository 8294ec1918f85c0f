import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { Connection } from '../../workspace/connection.ts';
import { type Finding, ok, skipped, warning } from './finding.ts';

/** The parts of an answer other than its body. */
interface Seen {
  readonly status: number;
  /** By how much the other clock is ahead of this one, in milliseconds; undefined where the answer has no date. */
  readonly ahead: number | undefined;
  /** End of the certificate; undefined without TLS. */
  readonly validTo: Date | undefined;
  readonly body: string;
}

/** Dates of HTTP have whole seconds, and the answer was on its way. */
const likeClocksMs = 2000;
const soonDays = 14;
const timeoutMs = 10_000;
const largestBody = 8 * 1024 * 1024;

export interface Looking {
  readonly connection: Pick<Connection, 'url' | 'caFile'>;
  readonly key: { readonly keyId: string; readonly keySecret: string };
  /** Of the command line. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Looks at what the service's page of metrics tells: its version, its clock and its certificate. Never throws: that the
 * service can be reached is another's matter.
 */
export async function lookAtConnection({ connection, key, version, now }: Looking): Promise<Finding[]> {
  try {
    const seen = await requestMetrics(connection, key, now);
    return [
      versionOf(seen, version),
      ...(seen.validTo === undefined ? [] : [certificateOf(seen.validTo, now())]),
      clockOf(seen.ahead),
    ];
  } catch {
    return [skipped('version', 'the service did not answer /metrics'), skipped('clock', 'no date was seen')];
  }
}

function requestMetrics(
  { url, caFile }: Looking['connection'],
  { keyId, keySecret }: Looking['key'],
  now: () => number,
): Promise<Seen> {
  const address = `${url.replace(/\/+$/, '')}/metrics`;
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') };
  const auth = `${keyId}@api:${keySecret}`;
  const begun = now();
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  const request = address.startsWith('https:') ? secureRequest : plainRequest;
  const asked = request(address, { ...ca, auth, timeout: timeoutMs }, (answer) => {
    const date = Date.parse(answer.headers.date ?? '');
    // The middle of the way there and back, and the middle of a second.
    const ahead = Number.isNaN(date) ? undefined : date + 500 - (begun + now()) / 2;
    const { socket } = answer;
    const validTo = socket instanceof TLSSocket ? socket.getPeerCertificate().valid_to : undefined;
    let body = '';
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      body += text;
      if (body.length > largestBody) answer.destroy(new Error('the answer is too large'));
    });
    answer.once('error', reject);
    answer.once('end', () => {
      const ends = validTo === undefined ? undefined : new Date(validTo);
      resolve({ status: answer.statusCode ?? 0, ahead, validTo: ends, body });
    });
  });
  asked.once('timeout', () => asked.destroy(new Error('no answer in time')));
  asked.once('error', reject);
  asked.end();
  return promise;
}

function versionOf({ status, body }: Seen, ours: string): Finding {
  const theirs = status === 200 ? versionIn(body) : undefined;
  if (theirs === undefined) return skipped('version', 'the service does not say its version');
  const [release, other] = [ours, theirs].map((version) => version.split('.', 2).join('.'));
  const message = `the service is ${theirs}, this command line ${ours}`;
  return release === other
    ? ok('version', message)
    : warning('version', message, 'Use the same release of both: what one of them does not know it leaves out.');
}

/** @param body the page, in the text format of Prometheus */
function versionIn(body: string): string | undefined {
  return /^rolecall_build_info\{(?:.*,)?version="([^"]+)"/m.exec(body)?.[1];
}

function certificateOf(validTo: Date, now: number): Finding {
  const days = Math.floor((validTo.getTime() - now) / 86_400_000);
  const message = `valid until ${validTo.toISOString()}, ${days} ${days === 1 ? 'day' : 'days'}`;
  return days >= soonDays
    ? ok('certificate', message)
    : warning('certificate', message, 'Renew it; the service reads the new files at SIGHUP.');
}

function clockOf(ahead: number | undefined): Finding {
  if (ahead === undefined) return skipped('clock', 'the service does not say its time');
  if (Math.abs(ahead) <= likeClocksMs) return ok('clock', 'the service and this machine agree');
  const way = ahead > 0 ? 'ahead of' : 'behind';
  return warning(
    'clock',
    `the service is ${Math.round(Math.abs(ahead) / 1000)} s ${way} this machine`,
    'Set both by NTP: it is the clock of the service that begins and ends permissions.',
  );
}
