import { entryLine, readPage } from '../audit/read.ts';
import { JsonBytes } from '../json-answer.ts';
import { selectEntriesAfter, selectEntriesBefore } from '../store/audit.ts';
import type { Handlers } from './handler.ts';

const defaultLimit = 100;

/** Bytes after which an answer ends early. */
const mostBytes = 4 * 1024 ** 2;

const ownReading = '"operation":"listAuditEntries"';

export const auditHandlers = {
  listAuditEntries: async ({ query }, { store }) => {
    const { after = 0, before, limit = defaultLimit } = query;
    const from = before ?? after;
    const select = before === undefined ? selectEntriesAfter : selectEntriesBefore;
    const next = (last: number, most: number) => store.read((executor) => select(executor, { seq: last, limit: most }));
    const entries = await readPage(next, from, { limit, mostBytes });
    if (before !== undefined) entries.reverse();
    // Otherwise a client that polls would find a new entry each time: that of the poll before. JSON escapes quotes in texts,
    // so only the field itself looks like this.
    const isNews = entries.some(({ content }) => !content.includes(ownReading));
    if (isNews) {
      const read = { [before === undefined ? 'after' : 'before']: from, entries: entries.length };
      await store.write([], (_executor, record) => {
        record([{ kind: 'audit_trail', id: 'trail', action: 'read', after: read }]);
      });
    }
    return new JsonBytes(Buffer.from(`[${entries.map(entryLine).join(',')}]`));
  },
} satisfies Partial<Handlers>;
