import type { DataSourceType } from '@rolecall/api';
import { piecesOf } from './statements.ts';

/** A parameter that a statement names: as the service takes it, and as it stands in the text. */
export interface Variable {
  readonly name: string;
  readonly shown: string;
}

const mysql = /\?/y;
const marks: Readonly<Record<DataSourceType, RegExp>> = {
  postgresql: /\$(\d+)/y,
  mysql,
  mariadb: mysql,
  sqlite: /[:@$]([A-Za-z_]\w*)|\?(\d*)/y,
};

/** Finds what a statement takes from outside, so that the page can ask for it. The database decides what it binds. */
export function variablesOf(statement: string, type: DataSourceType): readonly Variable[] {
  const mark = marks[type];
  const variables = new Map<string, Variable>();
  let unnamed = 0;
  for (const [at, piece] of piecesOf(statement, type)) {
    mark.lastIndex = at;
    const match = piece.length === 1 ? mark.exec(statement) : null;
    if (match === null) continue;
    const [shown, label = '', number = ''] = match;
    const given = label === '' ? number : label;
    if (given === '') unnamed += 1;
    const name = given === '' ? String(unnamed) : given;
    variables.set(name, { name, shown: given === '' ? `${shown} ${unnamed}` : shown });
  }
  return [...variables.values()];
}
