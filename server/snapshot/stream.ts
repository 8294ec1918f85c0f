import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot, SnapshotDataSource } from '@rolecall/api';
import { formatConnectionUri, parseConnectionUri } from '@rolecall/api';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import type { Seal } from '../secrets/seal.ts';
import type { SealedDataSource } from '../store/data-source.ts';
import type { Page, Pages } from '../store/pages.ts';
import {
  allRoleDataSourcePages,
  allRolePeoplePages,
  allRoleWindowPages,
  flatPermissionPages,
  sealedDataSourcePages,
  snapshotPeoplePages,
  snapshotRolePages,
} from '../store/snapshot.ts';
import { snippetPages } from '../store/snippet.ts';
import type { StoreSnapshot } from '../store/store.ts';

/** How long a client may take for a whole snapshot, in milliseconds: the store cannot shorten its log meanwhile. */
const longest = 60_000;

/** How many pages are written without a pause: all of a small workspace, and too few to be seen by 1 % of the other requests. */
const quickPages = 8;

export interface StreamOptions {
  readonly seal: Seal;
  readonly digest: KeyedDigest;
  readonly withSnippets: boolean;
  readonly adminRole: string | undefined;
  /** Whether passwords are those that a client has sent digests of, by the id of the data source. */
  readonly matches?: ReadonlyMap<string, boolean | null> | undefined;
  /** Called once, when the stream has ended or was given up. */
  readonly onClose: () => void;
}

/**
 * Writes a snapshot as JSON, a page when the client has taken the one before: it takes the memory of a page, whatever its length,
 * and other requests have their turn between two pages.
 */
export function streamSnapshot(snapshot: StoreSnapshot, options: StreamOptions): Readable {
  const stream = Readable.from(writeSections(snapshot, options.adminRole, sectionsOf(options)), { objectMode: false });
  const timer = setTimeout(() => {
    stream.destroy(new Error('the client took too long for the snapshot'));
  }, longest);
  // Not in the generator: one that was never started would not reach its end.
  stream.once('close', () => {
    clearTimeout(timer);
    void snapshot.close().finally(options.onClose);
  });
  return stream;
}

interface Section {
  readonly name: keyof Snapshot;
  readonly pages: Pages<unknown>;
}

function sectionsOf({ seal, digest, withSnippets, matches }: StreamOptions): Section[] {
  const show = (source: SealedDataSource) => showDataSource(source, { seal, digest, matches });
  return [
    { name: 'dataSources', pages: mapped(sealedDataSourcePages, show) },
    { name: 'people', pages: snapshotPeoplePages },
    { name: 'roles', pages: snapshotRolePages },
    { name: 'rolePeople', pages: allRolePeoplePages },
    { name: 'roleWindows', pages: allRoleWindowPages },
    { name: 'roleDataSources', pages: allRoleDataSourcePages },
    { name: 'permissions', pages: flatPermissionPages },
    ...(withSnippets ? ([{ name: 'snippets', pages: snippetPages }] as const) : []),
  ];
}

function mapped<T, R>({ start, read }: Pages<T>, map: (row: T) => R): Pages<R> {
  return {
    start,
    read: async (executor, after) => {
      const { rows, next } = await read(executor, after);
      return { rows: rows.map(map), next };
    },
  };
}

function showDataSource(
  { sealedUri, ...source }: SealedDataSource,
  { seal, digest, matches }: Pick<StreamOptions, 'seal' | 'digest' | 'matches'>,
): SnapshotDataSource {
  const { password, ...uri } = parseConnectionUri(seal.open(sealedUri, source.id));
  const matching = matches?.get(source.id);
  return {
    ...source,
    uri: formatConnectionUri(uri),
    passwordFingerprint: password === undefined ? null : digest.password(password, source.id),
    ...(matching === undefined ? {} : { passwordMatches: matching }),
  };
}

async function* writeSections(
  { read }: StoreSnapshot,
  adminRole: string | undefined,
  sections: readonly Section[],
): AsyncGenerator<Buffer> {
  let head = adminRole === undefined ? '{' : `{"adminRole":${JSON.stringify(adminRole)},`;
  let written = 0;
  for (const { name, pages } of sections) {
    head += `${JSON.stringify(name)}:[`;
    let comma = '';
    for (let after: number | undefined = pages.start; after !== undefined; ) {
      const from: number = after;
      const { rows, next }: Page<unknown> = await read((executor) => pages.read(executor, from));
      if (rows.length > 0) {
        yield Buffer.from(head + comma + JSON.stringify(rows).slice(1, -1));
        head = '';
        comma = ',';
      }
      after = next;
      written += 1;
      // A request takes several turns of the event loop, and would wait for a page in each of them.
      await (written <= quickPages ? nextTurn() : sleep(1));
    }
    head += '],';
  }
  yield Buffer.from(`${head.slice(0, -1)}}`);
}
