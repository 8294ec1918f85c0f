/** Writes people to the embedded store of a folder, some at a time, and says which were answered and which refused. */
import { writeSync } from 'node:fs';
import { findPerson, insertPerson } from '../../../server/store/person.ts';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';

const [folder = '', count = '0', checkpointAt = '0'] = process.argv.slice(2);
const store = await openSqliteStore(folder, undefined, undefined, Number(checkpointAt));
const waiting = Array.from({ length: Number(count) }, (_, index) => `p${index}`);

async function client(): Promise<void> {
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) writeSync(1, `${await write(id)} ${id}\n`);
}

async function write(id: string): Promise<string> {
  const name = 'x'.repeat((Number(id.slice(1)) * 997) % 20_000);
  const person = { id, name, username: id, email: id, createdAt: '2026-01-01T00:00:00.000Z', isLocked: false };
  try {
    await store.write(['person'], (executor) => insertPerson(executor, person));
    if ((await store.read((executor) => findPerson(executor, id))) === undefined) return 'unseen';
    return 'answered';
  } catch (error) {
    return `refused (${String(error)})`;
  }
}

await Promise.all([client(), client(), client()]);
await store.close();
