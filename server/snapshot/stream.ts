import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot, SnapshotDataSource } from '@rolecall/api';
import { formatConnectionUri, parseConnectionUri } from '@rolecall/api';
import type { Frame } from '../pages.ts';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import type { Seal } from '../secrets/seal.ts';
import type { SealedDataSource } from '../store/data-source.ts';
import type { Page, Pages } from '../store/pages.ts';
import {
  allRoleDataSourcePages,
  allRolePeoplePages,
  allRoleWindowPages,
  definitionPages,
  flatPermissionPages,
  sealedDataSourcePages,
  snapshotPeoplePages,
  snapshotRolePages,
} from '../store/snapshot.ts';
import { snippetPages } from '../store/snippet.ts';
import type { StoreSnapshot } from '../store/store.ts';

/** Milliseconds that a client may take for a whole snapshot: the store cannot shorten its log meanwhile. */
const longest = 60_000;

/** Pages that are written without a pause: all of a small workspace, and too few to be seen by 1 % of the other requests. */
const quickPages = 8;

export interface StreamOptions {
  readonly seal: Seal;
  readonly digest: KeyedDigest;
  readonly withSnippets: boolean;
  /** The manager whose definitions are shown, if any. */
  readonly declared: DeclarationsOf | undefined;
  readonly adminRole: string | undefined;
  /** Matches between passwords and the digests that a client has sent, by the id of the data source. */
  readonly matches?: ReadonlyMap<string, boolean | null> | undefined;
  /** Called once, when the stream has ended or was given up. */
  readonly onClose: () => void;
}

/** A manager, and where its definitions came from. */
export interface DeclarationsOf {
  readonly manager: string;
  readonly origin: string | null;
}

/**
 * Streams a snapshot as JSON, one page at a time with backpressure, so memory stays at one page. Other requests have
 * their turn between two pages.
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

/** Rows of the snapshot, and what stands before and after them. */
interface Section {
  readonly frame: Frame;
  readonly pages: (read: StoreSnapshot['read']) => AsyncGenerator<unknown[], void, void>;
}

function sectionsOf({ seal, digest, withSnippets, declared, matches }: StreamOptions): Section[] {
  const show = (source: SealedDataSource) => showDataSource(source, { seal, digest, matches });
  return [
    section('dataSources', mapped(sealedDataSourcePages, show)),
    section('people', snapshotPeoplePages),
    section('roles', snapshotRolePages),
    section('rolePeople', allRolePeoplePages),
    section('roleWindows', allRoleWindowPages),
    section('roleDataSources', allRoleDataSourcePages),
    section('permissions', flatPermissionPages),
    ...(withSnippets ? [section('snippets', snippetPages)] : []),
    ...(declared === undefined ? [] : [declaredSection(declared)]),
  ];
}

function section<Cursor>(name: keyof Snapshot, pages: Pages<unknown, Cursor>): Section {
  return { frame: [`${JSON.stringify(name)}:[`, ']'], pages: (read) => rowsOf(read, pages) };
}

function declaredSection({ manager, origin }: DeclarationsOf): Section {
  const opening = `"declared":{"origin":${JSON.stringify(origin)},"definitions":[`;
  return { frame: [opening, ']}'], pages: (read) => rowsOf(read, definitionPages(manager)) };
}

async function* rowsOf<Cursor>(
  read: StoreSnapshot['read'],
  pages: Pages<unknown, Cursor>,
): AsyncGenerator<unknown[], void, void> {
  const readAfter = (after: Cursor) => read((executor) => pages.read(executor, after));
  for (let after: Cursor | undefined = pages.start; after !== undefined; ) {
    const { rows, next }: Page<unknown, Cursor> = await readAfter(after);
    yield rows;
    after = next;
  }
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
  for (const {
    frame: [before, after],
    pages,
  } of sections) {
    head += before;
    let comma = '';
    for await (const rows of pages(read)) {
      if (rows.length > 0) {
        yield Buffer.from(head + comma + JSON.stringify(rows).slice(1, -1));
        head = '';
        comma = ',';
      }
      written += 1;
      // A request takes several turns of the event loop, and would wait for a page in each of them.
      await (written <= quickPages ? nextTurn() : sleep(1));
    }
    head += `${after},`;
  }
  yield Buffer.from(`${head.slice(0, -1)}}`);
}
