import { describeFigure } from './report.ts';
import { type Result, readResults } from './results.ts';

/** The subject of each benchmark, in the order of the page. */
const abouts: Readonly<Record<string, string>> = {
  apply: '`rolecall apply` of 5,000 objects, beside as many bare calls to the same service',
  plans: 'plans, saved plans and their checks',
  server: 'single operations of the service, beside a bare Fastify that answers the same bytes',
  load: 'the service under a constant rate, each request timed from its scheduled start',
  store: 'the stores, beside what the databases themselves take',
  gate: 'the decisions of the gate, the ends of statements when access ends, with PostgreSQL as the witness, and sign-ins',
  gateway: 'the gateway in front of PostgreSQL and MariaDB, beside the same clients without it and beside PgBouncer',
  queries: 'queries and their rows, beside `psql` and nginx',
  page: "the page that people work in: its code, its first paint beside DbGate's page, and a grid of a million rows, in Chromium",
  terraform:
    "the provider under the real terraform, beside the same of Terraform's own and of a provider in Go that does nothing",
  cdktf: 'synthesis of definitions, beside parsing the same YAML and the same resources by hand',
  operator:
    'the operator on a real kube-apiserver, beside bare writes to it and beside an operator in Go on controller-runtime',
};

/** Builds `docs/benchmarks.md` from the saved results. */
export function generatedFiles(): Map<string, string> {
  return new Map([['docs/benchmarks.md', renderPage(readResults())]]);
}

/** Every figure with its meaning and its target. */
export function renderPage(results: readonly Result[]): string {
  const named = [...new Set([...Object.keys(abouts), ...results.map(({ name }) => name)])];
  const sections = named.map((name) =>
    renderSection(
      name,
      results.find((result) => result.name === name),
    ),
  );
  return `${head}\n${sections.join('\n')}`;
}

const head = `# Benchmarks

Made from \`bench/results\` by \`npm run generate\`; do not edit. Each figure is a ratio to a peer or a floor that was measured in the
same run, or stands beside one: single figures say more about the machine than about Rolecall.
What misses its bound is marked; bounds in seconds were set on a quicker machine of the same kind.

\`\`\`sh
npm run bench -- --all          # all of them, one after the other, into this page
npm run bench -- apply --save   # one of them anew; the others stay
npm run bench -- apply          # to look at, without keeping it
\`\`\`

Take a machine with nothing else to do. [Testing](testing.md#benchmarks) says what each needs.
`;

function renderSection(name: string, result: Result | undefined): string {
  const about = abouts[name];
  const title = `## ${name}\n\n${about === undefined ? '' : `${about[0]?.toUpperCase()}${about.slice(1)}.\n\n`}`;
  if (result === undefined) return `${title}Not measured yet: \`npm run bench -- ${name} --save\`.\n`;
  const { figures, notes, bounds, machine, measuredAt, commit } = result;
  const rows = Object.entries(figures).map(
    ([figure, value]) =>
      `| ${cell(figure)} | ${value.toLocaleString('en')} | ${describeFigure(cell(notes[figure] ?? ''), value, bounds?.[figure], '**Missed:**')} |`,
  );
  const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}`;
  return `${title}| figure | | what it is, and what it is held to |
| --- | ---: | --- |
${rows.join('\n')}

Measured ${measuredAt.slice(0, 10)} at ${commit} (${where}) by \`npm run bench -- ${name} --save\`.
`;
}

/** Text that cannot end a cell, nor be read as HTML. */
function cell(text: string): string {
  return text.replace(/[|\\<]/g, '\\$&').replaceAll('\n', ' ');
}
