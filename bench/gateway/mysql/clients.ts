import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import mysql from 'mysql2/promise';
import type { Door } from '../doors.ts';

export async function connect({ port, user, database, password, isTls }: Door): Promise<mysql.Connection> {
  const tls = isTls ? { ssl: { rejectUnauthorized: false } } : {};
  return mysql.createConnection({ host: '127.0.0.1', port, user, database, password, ...tls });
}

/** Makes the table that is read, with 100,000 rows. */
export async function fillTable(door: Door): Promise<void> {
  const client = await connect(door);
  await client.query('create table accounts (id int primary key, balance int not null)');
  await client.query('insert into accounts select seq, seq * 7 from seq_1_to_100000');
  await client.end();
}

/**
 * Reads one row again and again, by a prepared statement, with one client.
 *
 * @returns the times that it takes, in microseconds
 */
export async function timeSelects(door: Door, seconds: number): Promise<readonly number[]> {
  const client = await connect(door);
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  for (let begun = performance.now(); begun < until; begun = performance.now()) {
    await client.execute('select balance from accounts where id = ?', [1 + Math.floor(Math.random() * 100_000)]);
    times.push((performance.now() - begun) * 1000);
  }
  await client.end();
  return times;
}

/**
 * Connects again and again, with one statement each time.
 *
 * @param at how many connect at a time
 * @returns from the beginning of each connection until its statement is answered, in milliseconds
 */
export async function timeConnections(door: Door, at: number, seconds: number): Promise<readonly number[]> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  const one = async (): Promise<void> => {
    for (let begun = performance.now(); begun < until; begun = performance.now()) {
      const client = await connect(door);
      await client.query('select 1');
      times.push(performance.now() - begun);
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: at }, one));
  return times;
}

/** Reads so many MiB of rows of one KiB with MariaDB's client, which writes them to nowhere. @returns MiB a second */
export async function transfer({ port, user, database, password, isTls }: Door, mebibytes: number): Promise<number> {
  const login = ['--host=127.0.0.1', '--protocol=tcp', `--port=${port}`, `--user=${user}`, database];
  const how = ['--quick', '--batch', '--skip-column-names', isTls ? '--ssl' : '--skip-ssl'];
  const sql = `select repeat('x', 1023) from seq_1_to_${mebibytes * 1024}`;
  const begun = performance.now();
  const child = spawn('mariadb', ['--no-defaults', ...login, ...how, '-e', sql], {
    env: { ...process.env, MYSQL_PWD: password },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`mariadb failed: ${errors}`);
  return (mebibytes * 1000) / (performance.now() - begun);
}
