/**
 * `npm run database`: starts a PostgreSQL on this machine with the tables of a shop in it, for trials. `--definition FILE` writes
 * a DataSource for it, and its password into a file beside that one. It is gone when it is stopped.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres } from '../test/support/databases/postgres.ts';
import { makePassword } from '../test/support/databases/server.ts';

const { values } = parseArgs({ options: { definition: { type: 'string' } } });
const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      resolve();
    });
  }
});
const server = await startPostgres();
// Without anything that counts as work, the process would end here.
const awake = setInterval(() => undefined, 60_000);
const password = makePassword();
const uri = `postgresql://reporting@127.0.0.1:${server.port}/rolecall`;
const files = values.definition === undefined ? [] : definitionFiles(values.definition);
try {
  await createShop();
  for (const [file, text] of files) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
  }
  say(`PostgreSQL runs with a shop of 20,000 orders in it, at ${uri}.`);
  say(files.length === 0 ? `Its password is ${password}.` : `${values.definition ?? ''} declares it as a data source.`);
  say('Ctrl-C stops it and removes all that is in it.');
  await stopped;
} finally {
  clearInterval(awake);
  for (const [file] of files) rmSync(file, { force: true });
  await server.stop();
}

/** The tables, and a user who may only read them. */
async function createShop(): Promise<void> {
  const client = new pg.Client({ connectionString: server.uri });
  await client.connect();
  await client.query(`
    create table customer (id integer primary key, name text not null, city text not null);
    create table product (id integer primary key, name text not null, price_cents integer not null);
    create table "order" (id integer primary key, customer_id integer not null references customer,
      product_id integer not null references product, quantity integer not null, ordered_at timestamptz not null);
    insert into customer select id, 'Customer ' || id,
      (array['Lisbon', 'Utrecht', 'Graz', 'Turku', 'Nantes', 'Cork'])[1 + id % 6] from generate_series(1, 400) id;
    insert into product select id, (array['Desk lamp', 'Notebook', 'Teapot', 'Wool blanket'])[id], 1290 + 730 * id
      from generate_series(1, 4) id;
    insert into "order" select id, 1 + id * 7 % 400, 1 + id * 3 % 4, 1 + id % 3, now() - id * interval '13 minutes'
      from generate_series(1, 20000) id;
    create role reporting login password '${password}';
    grant pg_read_all_data to reporting;`);
  await client.end();
}

function definitionFiles(file: string): [string, string][] {
  const passwordFile = path.join(path.dirname(file), 'shop.password');
  const text = `apiVersion: rolecall.dev/v1alpha1
kind: DataSource
metadata:
  name: shop
spec:
  name: Shop
  uri: ${uri}
  passwordFrom:
    file: ${path.basename(passwordFile)}
`;
  return [
    [file, text],
    [passwordFile, `${password}\n`],
  ];
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
