import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureOperator } from './operator/measure.ts';
import type { Report } from './report/report.ts';

/** The operator with its objects in a real API server and a real service, beside bare writes to the same API server. */
export async function run(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  try {
    return await measureOperator(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
