import type pg from 'pg';
import * as mysql from '../../../server/protocols/mysql/framing.ts';
import { int32 } from '../../../server/protocols/postgresql/fields.ts';
import * as postgresql from '../../../server/protocols/postgresql/framing.ts';
import { type CancelKey, framed } from '../../../server/protocols/postgresql/startup.ts';

/** A message of PostgreSQL, whatever its body is. */
export function message(type: string, body: Buffer | string = ''): Buffer {
  return postgresql.message(postgresql.letter(type), Buffer.from(body));
}

/** A packet of PostgreSQL before the log-in, whatever it is. */
export function startPacket(code: number, rest: Buffer | string = ''): Buffer {
  return framed(int32(code), Buffer.from(rest));
}

/** A packet of MySQL, whatever its body is. Each character of a text is a byte. */
export function packet(sequence: number, ...parts: readonly (Buffer | string)[]): Buffer {
  return mysql.packet(sequence, ...parts.map((part) => Buffer.from(part as string, 'latin1')));
}

/** The key by which a client of node-postgres cancels, which is not in its types. */
export function keyOf(client: pg.Client): CancelKey {
  const { processID, secretKey } = client as unknown as Record<'processID' | 'secretKey', number>;
  return { processId: processID, secret: int32(secretKey) };
}
