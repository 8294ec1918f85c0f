import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { sessionState } from '../../protocols/mysql/answers.ts';
import { boundSocket } from '../connections/socket.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';
import { ResultWriter } from '../rows/result-writer.ts';
import type { RowChunk } from '../rows/results.ts';
import { type Bindings, CommandError, numbered, type OpenSession, type Session } from '../session.ts';
import { openConnection } from './connection.ts';
import { type Conversation, converse } from './conversation.ts';
import { killer } from './kill.ts';
import { countOf, isCall, refusal } from './refused.ts';

const keepAlive = 30_000;

/** Private members of the driver, set at log-in. */
interface Internals {
  stream: Duplex;
  threadId: number;
  _mariadbExtendedMetadata?: boolean;
}

/** Logs in, and begins a transaction in which texts mean the same whatever the server's settings. */
export const openMysql: OpenSession = async (uri, { signal, statementTimeoutMs }) => {
  const socket = boundSocket('MySQL', uri, signal);
  const connection = openConnection(uri, socket);
  // An error without a listener would end the process.
  connection.on('error', () => undefined);
  try {
    await promisify(connection.connect.bind(connection))();
    socket.setKeepAlive(true, keepAlive);
    const driver = connection as unknown as Internals;
    const conversation = converse(driver.stream, driver._mariadbExtendedMetadata === true);
    const kill = killer(uri, socket, driver.threadId);
    await begin(conversation, statementTimeoutMs);
    const close = (): void => {
      conversation.destroy();
      socket.destroy();
      kill.close();
    };
    return {
      ...sessionOf(conversation, () => kill.kill(), close),
      heard: () => socket.bytesRead,
      probe: prober(uri, socket),
    };
  } catch (error) {
    connection.destroy();
    socket.destroy();
    throw error;
  }
};

/**
 * Raises the server's write time-out, so that waiting for a slow reader does not end the connection. The two products have
 * different names and units for the statement time-out, and each refuses the other's.
 */
async function begin(conversation: Conversation, statementTimeoutMs: number | undefined): Promise<void> {
  await conversation.ask(`${settings}, net_write_timeout = 31536000, completion_type = 'NO_CHAIN'`);
  if (statementTimeoutMs !== undefined) {
    const milliseconds = Math.ceil(statementTimeoutMs);
    await conversation.ask(`SET max_statement_time = ${milliseconds / 1000}`).catch(ignoreRefusal);
    await conversation.ask(`SET max_execution_time = ${milliseconds}`).catch(ignoreRefusal);
  }
  await conversation.ask('START TRANSACTION');
}

const settings = "SET NAMES utf8mb4, time_zone = '+00:00'";

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof CommandError)) throw error;
}

function sessionOf(conversation: Conversation, interrupt: () => Promise<void>, close: () => void): Session {
  return {
    execute: async (command, writer, bindings) => {
      writer.control(conversation);
      const reason = refusal(command);
      if (reason !== undefined) throw new CommandError(reason);
      const check = isCall(command) ? await watch(conversation) : undefined;
      const { affectedRows, status, results } = await conversation.ask(
        await bound(conversation, command, bindings),
        writer,
      );
      if ((status & sessionState.inTransaction) === 0) throw new CommandError(endedTransaction);
      await check?.();
      const isQuery = results > 0;
      if (isQuery) await assertSettings(conversation);
      else if (check !== undefined) await conversation.ask(settings);
      writer.completed({
        kind: isQuery ? 'query' : 'update',
        updateCount: isQuery ? null : countOf(command, affectedRows),
      });
    },
    commit: async () => {
      await conversation.ask('COMMIT AND NO CHAIN NO RELEASE');
    },
    rollback: async () => {
      await conversation.ask('ROLLBACK AND NO CHAIN NO RELEASE');
    },
    interrupt,
    close,
  };
}

/**
 * Prepares a command that has parameters, and puts their values into variables of the session. Both go as hexadecimal digits,
 * which mean the same in every mode of the server.
 *
 * @returns what runs it
 */
async function bound(conversation: Conversation, command: string, bindings: Bindings): Promise<string> {
  const values = numbered(bindings);
  if (values.length === 0) return command;
  const names = values.map((_value, index) => `@rolecall_${index + 1}`);
  const texts = [command, ...values].map((value) =>
    value === null ? 'NULL' : `CONVERT(X'${Buffer.from(value).toString('hex')}' USING utf8mb4)`,
  );
  await conversation.ask(
    `SET ${['@rolecall_command', ...names].map((name, at) => `${name} = ${texts[at]}`).join(', ')}`,
  );
  await conversation.ask('PREPARE rolecall FROM @rolecall_command');
  return `EXECUTE rolecall USING ${names.join(', ')}`;
}

const endedTransaction =
  'the command ended the transaction: what ran before it, and what it did itself, may have been committed';

/**
 * A savepoint disappears with its transaction, even if another one has replaced it. So a commit by a procedure is noticed,
 * although MySQL has no means to prevent it.
 *
 * @returns throws if the transaction has ended since
 */
async function watch(conversation: Conversation): Promise<() => Promise<void>> {
  const name = `rolecall_${randomBytes(8).toString('hex')}`;
  await conversation.ask(`SAVEPOINT ${name}`);
  return async () => {
    try {
      await conversation.ask(`RELEASE SAVEPOINT ${name}`);
    } catch (error) {
      throw error instanceof CommandError ? new CommandError(endedTransaction) : error;
    }
  };
}

/** A function or procedure may change the meaning of later values, which nothing in the values themselves would show. */
async function assertSettings(conversation: Conversation): Promise<void> {
  const row = await askRow(conversation, "SELECT @@time_zone = '+00:00' AND @@character_set_results = 'utf8mb4'");
  if (row !== '["1"]') {
    throw new CommandError(
      'the command changed time_zone, which has to remain +00:00, or the character set, which has to remain utf8mb4',
    );
  }
}

/** Returns the row of a query of the session's own, as JSON. */
async function askRow(conversation: Conversation, sql: string): Promise<string> {
  let row = '';
  const ignore = (): void => undefined;
  const rows = (_result: number, { bytes }: RowChunk): void => {
    row = bytes.toString();
  };
  const sink = { started: ignore, columns: ignore, rows, completed: ignore, failed: ignore };
  const writer = new ResultWriter(sink, Infinity, ignore);
  await conversation.ask(sql, writer);
  writer.completed({ kind: 'query', updateCount: null });
  await writer.settled();
  return row;
}

/**
 * Makes a function that checks whether the server at a connection's address answers. It logs in, since a server counts
 * connections that end before that, and blocks a host with too many of them.
 */
function prober(uri: Admitted, socket: Socket): (signal: AbortSignal) => Promise<void> {
  const there = atSameAddress(uri, socket);
  return async (signal) => {
    const other = boundSocket('MySQL', there, signal);
    const connection = openConnection(there, other);
    connection.on('error', () => undefined);
    try {
      await promisify(connection.connect.bind(connection))();
      await promisify(connection.end.bind(connection))();
    } catch (error) {
      // A refusal for too many connections is an answer, too.
      if (!(error instanceof Error && 'sqlState' in error)) throw error;
    } finally {
      connection.destroy();
      other.destroy();
    }
  };
}
