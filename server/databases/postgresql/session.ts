import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import {
  bind,
  describeStatement,
  execute,
  parse,
  query,
  sync,
  terminate,
} from '../../protocols/postgresql/requests.ts';
import { encryptionRequest } from '../../protocols/postgresql/startup.ts';
import { boundSocket } from '../connections/socket.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';
import type { ResultWriter } from '../rows/result-writer.ts';
import type { Column, Completion } from '../rows/results.ts';
import { type Bindings, CommandError, numbered, type OpenSession, type Session } from '../session.ts';
import { canceller } from './cancel.ts';
import { cellOf, formatOf, isBinary } from './columns.ts';
import { askTexts, type Conversation, converse } from './conversation.ts';
import { dataRowEncoder } from './data-row.ts';
import { logIn } from './log-in.ts';
import { refusal } from './refused.ts';
import { type TypeNames, typeNames } from './type-names.ts';

/** Marks the transaction. The mark is gone when the transaction ends for whatever reason, so a new one is noticed. */
const marker = 'rolecall.transaction';

/** Logs in, and begins a transaction in which texts mean the same whatever the settings of the server or its role. */
export const openPostgresql: OpenSession = async (uri, { signal, statementTimeoutMs }) => {
  const { socket, stream, key } = await logIn(uri, signal);
  try {
    const { cancel, close: stopCancelling } = canceller(key, socket, uri);
    const conversation = converse(stream);
    const mark = randomBytes(16).toString('hex');
    // Makes a busy server notice that this process has died. Before the transaction, since not every server has the setting.
    await conversation.ask(query.encode('SET client_connection_check_interval = 1000')).catch(ignoreRefusal);
    await conversation.ask(query.encode(beginning(mark, statementTimeoutMs)));
    const close = (): void => {
      if (stream.writable) stream.write(terminate);
      conversation.destroy();
      socket.destroy();
      stopCancelling();
    };
    return {
      ...sessionOf(conversation, mark, cancel, close),
      heard: () => socket.bytesRead,
      probe: prober(uri, socket),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
};

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof CommandError)) throw error;
}

function beginning(mark: string, statementTimeoutMs: number | undefined): string {
  const settings = {
    datestyle: 'ISO, MDY',
    intervalstyle: 'postgres',
    timezone: 'UTC',
    extra_float_digits: '3',
    bytea_output: 'hex',
    ...(statementTimeoutMs === undefined ? {} : { statement_timeout: String(Math.ceil(statementTimeoutMs)) }),
    [marker]: mark,
  };
  return ['BEGIN', ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)].join('; ');
}

function sessionOf(
  conversation: Conversation,
  mark: string,
  interrupt: () => Promise<void>,
  close: () => void,
): Session {
  const namesOf = typeNames(conversation);
  return {
    execute: async (command, writer, bindings) => {
      writer.control(conversation);
      const completion = await executeCommand(conversation, namesOf, { command, bindings }, writer);
      await assertTransaction(conversation, mark);
      writer.completed(completion);
    },
    commit: async () => {
      const { tag } = await conversation.ask(query.encode('COMMIT'));
      if (tag !== 'COMMIT')
        throw new CommandError(`the transaction could not be committed: the server answered ${tag ?? 'nothing'}`);
    },
    rollback: async () => {
      await conversation.ask(query.encode('ROLLBACK'));
    },
    interrupt,
    close,
  };
}

async function executeCommand(
  conversation: Conversation,
  namesOf: TypeNames,
  { command, bindings }: { readonly command: string; readonly bindings: Bindings },
  writer: ResultWriter,
): Promise<Completion> {
  const reason = refusal(command);
  if (reason !== undefined) throw new CommandError(reason);
  const values = numbered(bindings);
  const prepare = [parse.encode('', command), describeStatement.encode(''), sync];
  const { fields } = await conversation.ask(Buffer.concat(prepare));
  const cells = fields?.map(cellOf) ?? [];
  const formats = cells.map((kind) => (isBinary(kind) ? 1 : 0));
  if (fields !== undefined) {
    const names = await namesOf(fields);
    const columns = fields.map(
      (field, index): Column => ({
        ordinalPosition: index,
        name: field.name,
        type: names[index] ?? 'unknown',
        format: formatOf(field),
      }),
    );
    writer.columns(columns);
  }
  const run = [bind.encode('', '', formats, values), execute.encode(''), sync];
  const onRow = fields === undefined ? undefined : dataRowEncoder(cells, writer);
  const { tag } = await conversation.ask(Buffer.concat(run), onRow);
  return fields === undefined ? updateOf(tag) : { kind: 'query', updateCount: null };
}

/** Tags of commands that change rows end with their number; here SELECT is the tag of CREATE TABLE AS and SELECT INTO. */
function updateOf(tag: string | undefined): Completion {
  const count = /^(?:INSERT 0|INSERT|UPDATE|DELETE|MERGE|SELECT|COPY) (\d+)$/.exec(tag ?? '')?.[1];
  return { kind: 'update', updateCount: count === undefined ? null : Number(count) };
}

/** Notices, at the latest, a command that should have been refused before it ran. */
async function assertTransaction(conversation: Conversation, mark: string): Promise<void> {
  if ((conversation.encoding() ?? 'UTF8') !== 'UTF8') {
    throw new CommandError('the command changed client_encoding, which has to remain UTF8');
  }
  const { status, texts } = await askTexts(conversation, query.encode(`SHOW ${marker}`));
  if (status !== 'T' || texts[0] !== mark) {
    throw new CommandError('the command ended the transaction: what ran before it may have been committed');
  }
}

/**
 * Makes a function that checks whether the server at a connection's address answers. It sends the request for TLS, which every
 * server answers with a byte before any log-in.
 */
function prober(uri: Admitted, socket: Socket): (signal: AbortSignal) => Promise<void> {
  const there = atSameAddress(uri, socket);
  return async (signal) => {
    const connection = boundSocket('PostgreSQL', there, signal);
    try {
      connection.connect(uri.port ?? 5432);
      connection.write(encryptionRequest.encode('tls'));
      await once(connection, 'data', { signal });
    } finally {
      connection.destroy();
    }
  };
}
