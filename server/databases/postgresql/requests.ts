/** Messages to the server (PostgreSQL's manual, "Message Formats"). */

/** One statement under the simple protocol, or several. */
export function query(sql: string): Buffer {
  return message('Q', text(sql));
}

/** Parses one statement under a name; several statements are an error. */
export function parse(name: string, sql: string): Buffer {
  return message('P', text(name), text(sql), int16(0));
}

export function describeStatement(name: string): Buffer {
  return message('D', Buffer.from('S'), text(name));
}

/** @param formats of the columns: 0 text, 1 binary @param values of the parameters, as texts */
export function bind(
  portal: string,
  statement: string,
  formats: readonly number[],
  values: readonly (string | null)[] = [],
): Buffer {
  return message(
    'B',
    text(portal),
    text(statement),
    int16(0),
    int16(values.length),
    ...values.map(parameter),
    int16(formats.length),
    Buffer.concat(formats.map(int16)),
  );
}

export function execute(portal: string): Buffer {
  return message('E', text(portal), Buffer.alloc(4));
}

export function closeStatement(name: string): Buffer {
  return message('C', Buffer.from('S'), text(name));
}

export function closePortal(name: string): Buffer {
  return message('C', Buffer.from('P'), text(name));
}

export function copyFail(reason: string): Buffer {
  return message('f', text(reason));
}

/** Codes of packets before log-in. */
export const cancelCode = 80_877_102;
export const tlsCode = 80_877_103;

/** A packet before log-in: its length, its code, and numbers. */
export function startPacket(code: number, ...values: number[]): Buffer {
  const bytes = Buffer.alloc(8 + values.length * 4);
  bytes.writeUInt32BE(bytes.length);
  bytes.writeUInt32BE(code, 4);
  // As signed numbers, whichever way the driver read them.
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value | 0, 8 + index * 4);
  return bytes;
}

/** Opens a session by protocol 3.0. @param parameters user, database and settings */
export function startupMessage(parameters: Readonly<Record<string, string>>): Buffer {
  const body = text(
    Object.entries(parameters)
      .map(([name, value]) => `${name}\0${value}\0`)
      .join(''),
  );
  const head = Buffer.alloc(8);
  head.writeUInt32BE(head.length + body.length);
  head.writeUInt16BE(3, 4);
  return Buffer.concat([head, body]);
}

export const sync = message('S');
export const terminate = message('X');

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

/** Its length before it; -1 is NULL. */
function parameter(value: string | null): Buffer {
  const bytes = Buffer.from(value ?? '');
  const length = Buffer.alloc(4);
  length.writeInt32BE(value === null ? -1 : bytes.length);
  return Buffer.concat([length, bytes]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
