import type { UniqueColumns } from './errors.ts';
import type { Send } from './executor.ts';

const query = `
  select index.relname as index, owner.relname || '.' || attribute.attname as column
  from pg_index
  join pg_class index on index.oid = indexrelid
  join pg_class owner on owner.oid = indrelid
  join pg_attribute attribute on attribute.attrelid = indrelid and attribute.attnum = indkey[0]
  where indisunique and owner.relnamespace = current_schema()::regnamespace`;

/** Reads which columns must be unique; the server's errors name only the index, or say it in its own language. */
export async function readUniqueColumns(send: Send): Promise<UniqueColumns> {
  const { rows } = await send({ text: query });
  const columns = new Map((rows as { index: string; column: string }[]).map(({ index, column }) => [index, column]));
  return (index) => columns.get(index);
}
