import { describeMachine, type Report, renderReport } from './report.ts';

/** The benchmarks, by name; each loads only when it runs. */
const benchmarks: Record<string, () => Promise<{ run: () => Promise<Report> }>> = {
  server: () => import('./server.ts'),
  apply: () => import('./apply.ts'),
  plans: () => import('./plans.ts'),
  queries: () => import('./queries.ts'),
  load: () => import('./load.ts'),
  store: () => import('./store.ts'),
  terraform: () => import('./terraform.ts'),
  cdktf: () => import('./cdktf.ts'),
};

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const json = process.argv.includes('--json');
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(`npm run bench -- NAME [--json]; the names are ${Object.keys(benchmarks).join(', ')}\n`);
  process.exit(1);
}

const machine = describeMachine();
for (const name of names) {
  const benchmark = await benchmarks[name]?.();
  if (benchmark === undefined) continue;
  const report = await benchmark.run();
  process.stdout.write(json ? `${JSON.stringify({ ...report, machine })}\n` : renderReport(report, machine));
}
