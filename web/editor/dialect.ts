import { SQLDialect } from '@codemirror/lang-sql';
import type { DataSourceType } from '@rolecall/api';
import { keywordsOf, typesOf } from './keywords.ts';

type SQLDialectSpec = Parameters<typeof SQLDialect.define>[0];

const mysql: SQLDialectSpec = {
  operatorChars: '*+-%<>!=&|^',
  charSetCasts: true,
  doubleQuotedStrings: true,
  unquotedBitLiterals: true,
  hashComments: true,
  spaceAfterDashes: true,
  backslashEscapes: true,
  specialVar: '@?',
  identifierQuotes: '`',
};

const specs: Readonly<Record<DataSourceType, SQLDialectSpec>> = {
  postgresql: {
    charSetCasts: true,
    doubleDollarQuotedStrings: true,
    operatorChars: '+-*/<>=~!@#%^&|`?',
    specialVar: '',
  },
  mysql,
  mariadb: mysql,
  sqlite: { operatorChars: '*+-%<>!=&|/~', identifierQuotes: '`"', specialVar: '@:?$' },
};

/** How the text of a kind of database is coloured. */
export function dialectOf(type: DataSourceType): SQLDialect {
  const [keywords, types] = [keywordsOf(type).join(' '), typesOf(type).join(' ')];
  return SQLDialect.define({ ...specs[type], keywords, types, builtin: '' });
}

/** A name as the database reads it: quoted where it is no plain word. */
export function quoted(name: string, type: DataSourceType): string {
  const isPlain = type === 'postgresql' ? /^[a-z_][a-z0-9_]*$/ : /^[A-Za-z_][A-Za-z0-9_]*$/;
  if (isPlain.test(name) && !keywordsOf(type).includes(name.toLowerCase())) return name;
  const quote = type === 'mysql' || type === 'mariadb' ? '`' : '"';
  return quote + name.replaceAll(quote, quote + quote) + quote;
}
