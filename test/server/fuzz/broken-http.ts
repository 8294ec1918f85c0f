import type { Random } from '../../support/random.ts';
import { scramble } from './values.ts';

/** What goes over a connection, in parts with a pause between them, and whether the client then goes away. */
export interface BrokenHttp {
  readonly parts: readonly Buffer[];
  readonly pauseMs: number;
  readonly leaves: boolean;
}

/** Requests that are no HTTP, not quite HTTP, or HTTP that proxies and servers are known to read differently. */
export function makeBroken(random: Random, authorization: string): BrokenHttp {
  const head = (...lines: string[]): string =>
    [...lines, `authorization: ${authorization}`, 'content-type: application/json'].join('\r\n');
  const post = (...lines: string[]): string => head('POST /api/v2/role HTTP/1.1', 'host: x', ...lines);
  const get = head('GET /api/v2/person HTTP/1.1', 'host: x');
  const body = '{"name":"x"}';
  const shapes: readonly (() => string)[] = [
    () => 'hello\r\n\r\n',
    () => '\u0000'.repeat(random.below(5000)),
    () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    () => get.replace('HTTP/1.1', random.pick(['HTTP/0.9', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1.1\u0000', ''])) + '\r\n\r\n',
    () => get.replace('host: x', random.pick(['', 'host: x\r\nhost: y', 'host : x', ' host: x', 'host:'])) + '\r\n\r\n',
    () =>
      get.replace('/api/v2/person', random.pick(['*', 'http://other/x', '//x', '/\u0001', `/${'x'.repeat(20_000)}`])) +
      '\r\n\r\n',
    () =>
      `${post(`content-length: ${random.pick(['-1', '1e3', '0x10', '5, 6', '99999999999999999999', '12\r\ncontent-length: 13'])}`)}\r\n\r\n${body}`,
    () => `${post('content-length: 12', 'transfer-encoding: chunked')}\r\n\r\nc\r\n${body}\r\n0\r\n\r\n${get}\r\n\r\n`,
    () =>
      `${post(`transfer-encoding: ${random.pick(['chunked, identity', 'xchunked', 'chunked\r\ntransfer-encoding: chunked', '\u000bchunked'])}`)}\r\n\r\nc\r\n${body}\r\n0\r\n\r\n`,
    () =>
      `${post('transfer-encoding: chunked')}\r\n\r\n${random.pick(['zz', '-1', 'ffffffffffffffff', 'c;'.padEnd(20_000, 'e')])}\r\n${body}\r\n0\r\n\r\n`,
    () =>
      `${post('transfer-encoding: chunked')}\r\n\r\nc\r\n${body}\r\n0\r\nx-trailer: ${'y'.repeat(random.below(30_000))}\r\n\r\n`,
    () => `${get}\r\nx: ${'y'.repeat(random.below(40_000))}\r\n\r\n`,
    () => `${get}\r\n${Array.from({ length: random.below(3000) }, (_, index) => `h${index}: 1`).join('\r\n')}\r\n\r\n`,
    () => `${post('content-length: 5')}\r\n\r\n${body}${get}\r\n\r\n`,
    () => `${post('content-length: 12')}\r\n\r\n${body}`.repeat(1 + random.below(20)) + `${get}\r\n\r\n`,
    () => `${get}\r\n\r\n`.repeat(1 + random.below(100)),
    () => `${get}\r\nconnection: upgrade\r\nupgrade: ${random.pick(['websocket', 'h2c'])}\r\n\r\n`,
    () => `${post('content-length: 5000000')}\r\n\r\n${'x'.repeat(random.below(200_000))}`,
    () => `CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: x\r\n\r\n`,
    () => scramble(`${post('content-length: 12')}\r\n\r\n${body}`, random).toString('latin1'),
  ];
  const bytes = Buffer.from(random.pick(shapes)(), 'latin1');
  const cut = random.chance(0.3) ? random.below(bytes.length + 1) : bytes.length;
  return {
    parts: random.chance(0.3) ? [bytes.subarray(0, cut), bytes.subarray(cut)] : [bytes],
    pauseMs: random.below(20),
    leaves: random.chance(0.3),
  };
}
