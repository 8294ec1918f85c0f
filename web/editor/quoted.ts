import type { DataSourceType } from '@rolecall/api';
import { keywordsOf } from './keywords.ts';

/** A name as the database reads it: quoted where it is no plain word. */
export function quoted(name: string, type: DataSourceType): string {
  const isPlain = type === 'postgresql' ? /^[a-z_][a-z0-9_]*$/ : /^[A-Za-z_][A-Za-z0-9_]*$/;
  if (isPlain.test(name) && !keywordsOf(type).includes(name.toLowerCase())) return name;
  const quote = type === 'mysql' || type === 'mariadb' ? '`' : '"';
  return quote + name.replaceAll(quote, quote + quote) + quote;
}
