import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { sessionState } from '../../protocols/mysql/answers.ts';
import { quit } from '../../protocols/mysql/requests.ts';
import { leave } from '../connections/raw-connection.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';
import { type Bindings, CommandError, numbered, type OpenSession, type Session } from '../session.ts';
import { askTexts, type Conversation, converse } from './conversation.ts';
import { killer } from './kill.ts';
import { logIn } from './log-in.ts';
import { countOf, isCall, refusal } from './refused.ts';

/** Logs in, and begins a transaction in which texts mean the same whatever the server's settings. */
export const openMysql: OpenSession = async (uri, { signal, statementTimeoutMs }) => {
  const connection = await logIn(uri, signal);
  const { socket } = connection;
  try {
    const conversation = converse(connection);
    const kill = killer(uri, socket, connection.id);
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
  const isKept = "SELECT @@time_zone = '+00:00' AND @@character_set_results = 'utf8mb4'";
  const [answer] = await askTexts(conversation, isKept);
  if (answer !== '1') {
    throw new CommandError(
      'the command changed time_zone, which has to remain +00:00, or the character set, which has to remain utf8mb4',
    );
  }
}

/**
 * Makes a function that checks whether the server at a connection's address answers. It logs in, since a server counts
 * connections that end before that, and blocks a host with too many of them.
 */
function prober(uri: Admitted, socket: Socket): (signal: AbortSignal) => Promise<void> {
  const there = atSameAddress(uri, socket);
  return async (signal) => {
    try {
      using connection = await logIn(there, signal);
      await leave(connection.stream, quit);
    } catch (error) {
      // A refusal for too many connections is an answer, too.
      if (!(error instanceof Error && 'sqlState' in error)) throw error;
    }
  };
}
