import type { DataSourceType } from '@rolecall/api';

/** A step of a plan, and the steps that it takes its rows from. */
export interface PlanStep {
  readonly label: string;
  /** Such as costs and conditions. */
  readonly details: readonly string[];
  readonly children: readonly PlanStep[];
}

/** Words by which each database is asked how it would run a statement. None of them runs it. */
export const explainPrefix: Readonly<Record<DataSourceType, string>> = {
  postgresql: 'EXPLAIN (FORMAT JSON) ',
  mysql: 'EXPLAIN FORMAT=JSON ',
  mariadb: 'EXPLAIN FORMAT=JSON ',
  sqlite: 'EXPLAIN QUERY PLAN ',
};

type Row = readonly (string | null)[];
type Fields = Readonly<Record<string, unknown>>;

/** Reads what a database answers to its `EXPLAIN`. @throws SyntaxError if that is no JSON */
export function readPlan(type: DataSourceType, rows: readonly Row[]): readonly PlanStep[] {
  if (type === 'sqlite') return childrenOf(rows, '0');
  const answer: unknown = JSON.parse(rows[0]?.[0] ?? 'null');
  if (type !== 'postgresql') return stepsOf('query', answer);
  return asList(answer).flatMap((row) => (isFields(row) && isFields(row['Plan']) ? [postgresqlStep(row['Plan'])] : []));
}

/** Rows of SQLite: id, parent, a number without use, and the step in words. */
function childrenOf(rows: readonly Row[], parent: string): PlanStep[] {
  return rows
    .filter((row) => row[1] === parent)
    .map(([id, , , label]) => ({ label: label ?? '', details: [], children: childrenOf(rows, id ?? '') }));
}

const shownApart = new Set(['Node Type', 'Relation Name', 'Alias', 'Index Name', 'Plans', 'Total Cost', 'Plan Rows']);
/** Properties that tell a reader little. */
const left =
  /^(Startup Cost|Plan Width|Parallel Aware|Async Capable|Parent Relationship|Schema|Disabled|Join Type|Inner Unique)$/;

function postgresqlStep(plan: Fields): PlanStep {
  const place = [plan['Relation Name'], plan['Alias']].filter((name, index, all) => all.indexOf(name) === index);
  const on = place.filter((name) => typeof name === 'string').join(' as ');
  const using = typeof plan['Index Name'] === 'string' ? ` using ${plan['Index Name']}` : '';
  const others = Object.entries(plan).filter(([key]) => !shownApart.has(key) && !left.test(key));
  return {
    label: `${join(plan)}${String(plan['Node Type'])}${using}${on === '' ? '' : ` on ${on}`}`,
    details: [
      `${String(plan['Plan Rows'])} rows, cost ${String(plan['Total Cost'])}`,
      ...others.map(([key, value]) => `${key}: ${show(value)}`),
    ],
    children: asList(plan['Plans']).flatMap((child) => (isFields(child) ? [postgresqlStep(child)] : [])),
  };
}

function join(plan: Fields): string {
  const kind = plan['Join Type'];
  return typeof kind === 'string' && kind !== 'Inner' ? `${kind} ` : '';
}

/** MySQL and MariaDB nest objects, whose names say what they do. */
function stepsOf(key: string, value: unknown): PlanStep[] {
  if (Array.isArray(value)) return value.flatMap((item) => stepsOf(key, item));
  if (!isFields(value)) return [];
  const entries = Object.entries(value);
  const nested = entries.filter(([, item]) => isFields(item) || (Array.isArray(item) && item.some(isFields)));
  const details = entries.filter((entry) => !nested.includes(entry) && entry[0] !== 'table_name');
  const children = nested.flatMap(([name, child]) => (name === 'cost_info' ? [] : stepsOf(name, child)));
  // A wrapper without anything of its own only costs a level.
  if (details.length === 0 && value['table_name'] === undefined) return children;
  const name = value['table_name'];
  return [
    {
      label: `${key.replaceAll('_', ' ')}${typeof name === 'string' ? ` ${name}` : ''}`,
      details: [
        ...details.map(([property, shown]) => `${property.replaceAll('_', ' ')}: ${show(shown)}`),
        ...Object.entries(isFields(value['cost_info']) ? value['cost_info'] : {}).map(
          ([property, cost]) => `${property.replaceAll('_', ' ')}: ${show(cost)}`,
        ),
      ],
      children,
    },
  ];
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.map(show).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
