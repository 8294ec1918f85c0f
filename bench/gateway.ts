import { requires } from '../test/support/databases/parts.ts';
import { measureMysql } from './gateway/mysql/measure.ts';
import { measurePostgresql } from './gateway/postgresql/measure.ts';
import type { Report } from './report/report.ts';

/** The gateway between clients and databases, beside no gateway and, for PostgreSQL, beside a pooler in C. */
export async function run(): Promise<Report> {
  const postgresql = await measurePostgresql();
  const { skip } = requires('mariadb');
  if (skip !== false) process.stderr.write(`MariaDB is missing, its part is skipped: it ${skip}\n`);
  const mysql = skip === false ? await measureMysql() : undefined;
  return {
    name: 'gateway',
    figures: { ...postgresql.figures, ...mysql?.figures },
    notes: { ...postgresql.notes, ...mysql?.notes },
    bounds: { ...postgresql.bounds, ...mysql?.bounds },
  };
}
