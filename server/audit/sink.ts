import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { StoredEntry } from '../store/audit.ts';
import { entryLine } from './read.ts';

/** Receiver of audit entries. */
export interface AuditSink {
  /** For logs and metrics; contains no secret. */
  readonly label: string;
  /** Identifies the sink's cursor in the store: each receiver has one name. */
  readonly name: string;
  /** Settles when the receiver has taken all entries. @throws Error if it did not take them in time */
  deliver: (entries: readonly StoredEntry[], signal: AbortSignal) => Promise<void>;
}

/** The definition of a sink is invalid. The message never repeats a URL, which may contain a secret. */
export class AuditSinkError extends Error {
  override name = 'AuditSinkError';
  readonly code = 'ERR_AUDIT_SINK';
  constructor(problem: string) {
    super(`--audit-sink ${problem}`);
  }
}

/**
 * Makes the sinks of a service.
 *
 * @param authorization the Authorization header for the HTTPS receiver: its value, or a file that contains it
 * @throws AuditSinkError
 */
export function parseAuditSinks(texts: readonly string[], authorization: Authorization): AuditSink[] {
  const sinks = texts.map((text) => parseAuditSink(text, authorization));
  if (new Set(sinks.map(({ name }) => name)).size < sinks.length) throw new AuditSinkError('names one receiver twice');
  if (texts.filter((text) => text.startsWith('https:')).length > 1) {
    // All of them would get the same Authorization header.
    throw new AuditSinkError('can name one HTTPS receiver only');
  }
  return sinks;
}

/** Milliseconds that a receiver may take for a batch. */
export const deliveryLimit = 20_000;

/** `file:/path`, `syslog://host:port` (TLS), `syslog+tcp://host:port` or `https://host/path`. @throws AuditSinkError */
function parseAuditSink(text: string, authorization: Authorization): AuditSink {
  if (text.startsWith('file:')) return fileSink(text.slice('file:'.length));
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new AuditSinkError('is neither file:/path, syslog://host:port nor https://host/path');
  if (url.username !== '' || url.password !== '') {
    throw new AuditSinkError('has a user or password in the URL: put the Authorization header into a file instead');
  }
  if (url.hostname === '') throw new AuditSinkError('names no host');
  if (url.protocol === 'https:') return httpsSink(url, authorization);
  if (url.protocol !== 'syslog:' && url.protocol !== 'syslog+tcp:') {
    throw new AuditSinkError('must begin with file:, syslog://, syslog+tcp:// or https://');
  }
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
    throw new AuditSinkError('has more than a host and a port');
  }
  return syslogSink(url);
}

/** Appends lines of JSON. Opens the file for each batch, so that it can be rotated. */
function fileSink(file: string): AuditSink {
  if (!path.isAbsolute(file) || file.includes('\0')) {
    throw new AuditSinkError('needs an absolute path, as in file:/var/log/rolecall/audit.ndjson');
  }
  const label = `file:${file}`;
  return {
    label,
    name: label,
    deliver: async (entries) => {
      // Without O_NONBLOCK, a pipe without a reader would block a thread for ever.
      const { O_APPEND, O_CREAT, O_RDWR, O_NONBLOCK } = constants;
      await using handle = await open(file, O_APPEND | O_CREAT | O_RDWR | O_NONBLOCK, 0o600);
      if (!(await handle.stat()).isFile()) throw new Error('it is not a regular file');
      const start = (await endsInLine(handle)) ? '' : '\n';
      await handle.appendFile(`${start}${entries.map((entry) => `${entryLine(entry)}\n`).join('')}`);
      await handle.datasync();
    },
  };
}

/** A killed process may have left half a line, which the next line must not continue. */
async function endsInLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/**
 * RFC 5424 over TLS (RFC 5425) or TCP (RFC 6587, octet counting). Syslog has no acknowledgement, so each batch has its own
 * connection: a receiver that has read to the end closes its side in order, and one that dies before that does not. Node does not
 * tell a close of TLS from a forged FIN of TCP (docs/security.md).
 */
function syslogSink({ protocol, hostname: host, port: given }: URL): AuditSink {
  const isTls = protocol === 'syslog:';
  const port = given === '' ? (isTls ? 6514 : 601) : Number(given);
  const label = `${protocol}//${host}:${port}`;
  const name = host.replace(/^\[(.*)\]$/, '$1');
  return {
    label,
    name: label,
    deliver: async (entries, signal) => {
      const socket = isTls
        ? connectTls({ host: name, port, servername: /[a-z]/i.test(name) ? name : '', minVersion: 'TLSv1.2' })
        : connectTcp({ host: name, port });
      await sendAndClose(socket, Buffer.concat(entries.map(syslogFrame)), isTls ? 'secureConnect' : 'connect', signal);
    },
  };
}

function sendAndClose(socket: Socket, bytes: Buffer, ready: string, stop: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const signal = AbortSignal.any([stop, AbortSignal.timeout(deliveryLimit)]);
  const abort = () => socket.destroy(new Error('the receiver did not take the entries in time'));
  let sent = false;
  // A listener that is added after the abort would never be called.
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  socket
    .once(ready, () => {
      socket.end(bytes, () => {
        sent = true;
      });
    })
    .once('end', () => {
      if (!sent) socket.destroy(new Error('the receiver closed the connection before it had everything'));
    })
    .once('error', reject)
    .once('close', () => {
      signal.removeEventListener('abort', abort);
      if (sent && socket.readableEnded) resolve(undefined);
      else reject(new Error('the receiver closed the connection before it had everything'));
    })
    .resume();
  return promise;
}

/** Facility 13 (log audit), severity 5 (notice). */
const priority = 13 * 8 + 5;

function syslogFrame(entry: StoredEntry): Buffer {
  const { at, operation } = JSON.parse(entry.content) as { at: string; operation: string };
  const header = `<${priority}>1 ${at} ${word(hostname(), 255)} rolecall - ${word(operation, 32)} -`;
  const message = Buffer.from(`${header} ${entryLine(entry)}`);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/** A header field: printable ASCII without blanks. */
function word(text: string, most: number): string {
  return text.replace(/[^\x21-\x7e]/g, '_').slice(0, most) || '-';
}

export interface Authorization {
  readonly value?: string | undefined;
  readonly file?: string | undefined;
}

/** POSTs lines of JSON. Any answer but 2xx, including a redirect, means that the receiver took nothing. */
function httpsSink(url: URL, authorization: Authorization): AuditSink {
  const { origin, pathname } = url;
  return {
    // A path or a query may contain a token.
    label: origin,
    name: `${origin} ${hash('sha256', `${origin}${pathname}`).slice(0, 16)}`,
    deliver: async (entries, stop) => {
      const body = Buffer.from(entries.map((entry) => `${entryLine(entry)}\n`).join(''));
      const header = await readAuthorization(authorization);
      const signal = AbortSignal.any([stop, AbortSignal.timeout(deliveryLimit)]);
      const status = await post(url, body, header, signal);
      if (status < 200 || status > 299) throw new Error(`the receiver answered ${status}`);
    },
  };
}

/** Reads the header for each batch, so that it can be replaced while the service runs. */
async function readAuthorization({ value, file }: Authorization): Promise<Record<string, string>> {
  const text = file === undefined ? value : await readFile(file, 'utf8');
  if (text === undefined) return {};
  const header = text.trim();
  if (!/^[\x20-\x7e]+$/.test(header)) throw new Error('the Authorization header is empty or not one line of ASCII');
  return { authorization: header };
}

function post(url: URL, body: Buffer, header: Record<string, string>, signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { ...header, 'content-type': 'application/x-ndjson', 'content-length': body.length };
  const sending = request(url, { method: 'POST', headers, signal, agent: false, minVersion: 'TLSv1.2' }, (answer) => {
    // The body is of no use, and may be endless.
    answer.on('error', () => undefined).destroy();
    resolve(answer.statusCode ?? 0);
  });
  sending.on('error', reject).end(body);
  return promise;
}
