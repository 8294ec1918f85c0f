import { measurePostgresql } from './gateway/postgresql/measure.ts';
import type { Report } from './report.ts';

/** The gateway between clients and databases, beside no gateway and beside a pooler in C. */
export async function run(): Promise<Report> {
  const { figures, notes, bounds } = await measurePostgresql();
  return { name: 'gateway', figures, notes, bounds };
}
