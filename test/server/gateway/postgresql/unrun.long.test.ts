import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type pg from 'pg';
import {
  bind,
  describeStatement,
  execute,
  parse,
  query,
  sync,
} from '../../../../server/protocols/postgresql/requests.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { until } from '../../person-api/in-editor.ts';
import { message } from '../../support/wire.ts';
import { gatewayEntries, loggedStatements, logsStatements, serverLog, throughGateway } from '../through-gateway.ts';

const skipped = requires('postgresql');
const server = skipped.skip === false ? await startPostgres(logsStatements) : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

const prepared = (text: string): Buffer =>
  Buffer.concat([parse.encode('', text), bind.encode('', '', []), execute.encode(''), sync]);

/** What did not run, or looks as if it had not. */
const odd: readonly Buffer[] = [
  // Without text.
  query.encode(''),
  query.encode(' ; -- nothing'),
  prepared(''),
  prepared('-- nothing either'),
  // Prepared alone.
  Buffer.concat([parse.encode('', 'select 104'), describeStatement.encode(''), sync]),
  // Malformed.
  message('Q', 'select 100'),
  message('Q', 'select 101\0more\0'),
  Buffer.concat([parse.encode('', 'select 102'), bind.encode('', '', []), message('E', '\0'), sync]),
  Buffer.concat([message('P', '\0select 103\0'), sync]),
  message('F', '\0\0\0\0'),
  message('F', '\0\0\x05\x1f\0\0\0\0\0\0'),
  // Unparsable.
  query.encode('selec 110'),
  query.encode('selec 111 do'),
  query.encode("select 112 as function, 'procedure' from from"),
  query.encode("create function f() returns int language sql as 'select 113' immutable procedure procedure"),
  query.encode('do $$ begin null; end $$ selec 114'),
  query.encode("do $$ it's $a$ $$; create function \"as '\" /* ' /* */ */ -- '\n function 115"),
  query.encode("select 'unterminated 116 do"),
  query.encode('do $$ begin null; end'),
  prepared('selec 117 do'),
  // Unparsable within: the statement around it ran.
  query.encode("create function f() returns int language sql as 'selec 120'"),
  query.encode("create function f() returns int language sql as $f$ select '120'; selec $f$"),
  query.encode("create procedure p() language sql as E'select \\'1\\'; selec 121'"),
  query.encode('do $$ begin selec 122; end $$'),
  query.encode('do $do$ begin perform $$one$$ from from; end $do$'),
  query.encode("select 1; do 'begin null; selec 123; end'"),
  query.encode("create function f() returns int language plpgsql as 'begin return 1; en'"),
  query.encode("do 'begin execute ''selec 124''; end'"),
  prepared("create function f() returns int language sql as 'selec 125'"),
  // After an error in a transaction.
  query.encode('begin'),
  query.encode('select 1/0'),
  query.encode('select 130'),
  query.encode('selec 131 do'),
  message('F', '\0\0\x05\x1f\0\0\0\0\0\0'),
  query.encode('rollback'),
  query.encode('select 1 as last'),
];

/** Sends a message, and waits until the server is ready again. */
async function send(client: pg.Client, bytes: Buffer): Promise<void> {
  const { stream } = client.connection;
  stream.write(bytes);
  let seen = Buffer.alloc(0);
  await until(() => {
    const chunk = stream.read() as Buffer | null;
    if (chunk !== null) seen = Buffer.concat([seen, chunk]);
    return seen.length >= 6 && seen.toString('latin1', seen.length - 6, seen.length - 1) === 'Z\0\0\0\x05';
  });
}

interface Told {
  readonly digest: string;
  readonly text?: string;
  readonly runs: number;
}

/** Sends all of it through the gateway. @returns what the trail tells of each statement, and the statements that the server has logged */
async function seen(auditStatements: 'text' | 'digest'): Promise<{ told: Told[]; logged: string[] }> {
  const ada = await throughGateway(uri, { auditStatements });
  const client = await ada.connect({ application_name: auditStatements });
  // Only `send` reads what comes from now on.
  client.connection.stream.removeAllListeners('data').pause();
  for (const one of odd) await send(client, one);
  client.connection.stream.destroy();
  const last = new RegExp(`^${auditStatements}\\|.*select 1 as last`, 'm');
  await until(async () => last.test(await serverLog(uri)));
  await until(async () => (await gatewayEntries(ada)).some(({ changes }) => changes[0]?.action === 'ended'));
  const changes = (await gatewayEntries(ada)).flatMap((entry) => entry.changes);
  const told = changes.flatMap(({ after: entry }) => (entry?.['statements'] ?? []) as unknown as Told[]);
  return { told, logged: loggedStatements(await serverLog(uri)).get(auditStatements) ?? [] };
}

describe('a statement that PostgreSQL did not run', skipped, () => {
  it('is not counted in the audit trail, which has exactly what the server has logged', async () => {
    const { told, logged } = await seen('text');
    const runs: Record<string, number> = {};
    const texts = new Map<string, string>();
    for (const { digest, text, runs: count } of told) {
      if (text !== undefined) texts.set(digest, text);
      const [line = ''] = (texts.get(digest) ?? '').split('\n');
      if (count > 0) runs[line] = (runs[line] ?? 0) + count;
    }
    const wanted: Record<string, number> = {};
    for (const line of logged) {
      const text = line.replace(/^"\w+" \(OID (\d+)\)$/, 'function call $1');
      wanted[text] = (wanted[text] ?? 0) + 1;
    }
    assert.deepEqual(runs, wanted);
    assert.ok(logged.length > 10);
    assert.ok(
      told.some(({ text, runs: count }) => text === 'select 104' && count === 0),
      'what was only prepared is shown',
    );
  });

  it('is not counted in an audit trail without texts either', async () => {
    const { told, logged } = await seen('digest');
    assert.equal(
      told.reduce((sum, { runs }) => sum + runs, 0),
      logged.length,
    );
  });
});
