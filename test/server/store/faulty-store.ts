import path from 'node:path';
import { openConnection } from '../../../server/store/sqlite/connection.ts';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';
import { createReader } from '../../../server/store/sqlite/reader.ts';
import { WriteAheadLog } from '../../../server/store/sqlite/write-ahead-log.ts';
import { createWriter } from '../../../server/store/sqlite/writer.ts';
import { refuseEntries, type Store } from '../../../server/store/store.ts';

/** What goes wrong: each is called instead of the real one, which it may call. */
interface Faults {
  run?: (sql: string, real: (sql: string) => void) => void;
  sync?: (real: () => Promise<void>) => Promise<void>;
}

/** The embedded store of a folder, with faults between its parts. */
export async function openFaultyStore(folder: string, faults: Faults): Promise<Omit<Store, 'replicas'>> {
  await (await openSqliteStore(folder)).close();
  const file = path.join(folder, 'rolecall.db');
  const [writing, reading] = [openConnection(file, 'write'), openConnection(file, 'read')];
  const log = await WriteAheadLog.take(writing);
  const reader = createReader(reading, log.requireIntact);
  const real = (sql: string) => {
    writing.run(sql);
  };
  const run = (sql: string) => {
    if (faults.run === undefined) real(sql);
    else faults.run(sql, real);
  };
  const sync = () => (faults.sync === undefined ? log.sync() : faults.sync(() => log.sync()));
  const writer = createWriter({
    connection: { ...writing, run },
    log: { makeRoom: () => log.makeRoom(), requireIntact: log.requireIntact, sync },
    reader,
    append: refuseEntries,
    committed: () => undefined,
  });
  return {
    read: reader.read,
    write: writer.write,
    close: async () => {
      await writer.close();
      await log.close();
      reader.refresh();
      for (const connection of [reading, writing]) connection.close();
    },
  };
}
