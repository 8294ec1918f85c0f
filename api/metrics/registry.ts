/** The definition of a metric, in Prometheus' terms. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Their values must come from fixed lists, never from a client: each combination is kept for ever. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
}

export interface Counter {
  add(amount?: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** One line of the page. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

type LabelsOf<D extends MetricDefinition> = Readonly<Record<D['labels'][number], string>>;
type NamesOf<T, Type> = { [Name in keyof T]: T[Name] extends { type: Type } ? Name : never }[keyof T] & string;

/** Holds metrics and renders them as the page that Prometheus reads. */
export interface Registry<T extends Readonly<Record<string, MetricDefinition>>> {
  /** The counter with these labels; keep it if you count often. */
  counter<Name extends NamesOf<T, 'counter'>>(name: Name, labels: LabelsOf<T[Name]>): Counter;
  histogram<Name extends NamesOf<T, 'histogram'>>(name: Name, labels: LabelsOf<T[Name]>): Histogram;
  /** Registers how to read a metric when the page is rendered. */
  readonly read: (name: NamesOf<T, 'gauge' | 'counter'>, samples: () => readonly Sample[]) => void;
  /** Text format 0.0.4. */
  readonly render: () => string;
}

/** The page's media type (Prometheus, exposition formats). */
export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8';

interface Series {
  lines(): string[];
}

export function createRegistry<T extends Readonly<Record<string, MetricDefinition>>>(table: T): Registry<T> {
  const series = new Map(Object.keys(table).map((name) => [name, new Map<string, Series>()]));
  const readers = new Map<string, () => readonly Sample[]>();

  function find<S extends Series>(
    name: string,
    labels: Readonly<Record<string, string>>,
    make: (text: string) => S,
  ): S {
    const text = writeLabels(labels);
    const family = series.get(name);
    // The types of `counter` and `histogram` ensure that each name has series of one kind only.
    const metric = (family?.get(text) as S | undefined) ?? make(text);
    family?.set(text, metric);
    return metric;
  }

  return {
    counter: (name, labels) => find(name, labels, (text) => createCounter(name, text)),
    histogram: (name, labels) => find(name, labels, (text) => createHistogram(name, text, table[name]?.buckets ?? [])),
    read: (name, samples) => {
      readers.set(name, samples);
    },
    render: () =>
      Object.entries(table)
        .map(([name, { type, help }]) => {
          const read = (readers.get(name)?.() ?? []).map((sample) => writeSample(name, sample));
          const counted = [...(series.get(name)?.values() ?? [])].flatMap((metric) => metric.lines());
          return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${[...counted, ...read].join('')}`;
        })
        .join(''),
  };
}

function createCounter(name: string, labels: string): Counter & Series {
  let value = 0;
  return {
    add: (amount = 1) => {
      value += amount;
    },
    lines: () => [line(name, labels, value)],
  };
}

function createHistogram(name: string, labels: string, bounds: readonly number[]): Histogram & Series {
  const counts = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    observe: (value) => {
      const bucket = bounds.findIndex((bound) => value <= bound);
      if (bucket !== -1) counts[bucket] = (counts[bucket] ?? 0) + 1;
      count += 1;
      sum += value;
    },
    lines: () => {
      let below = 0;
      const buckets = bounds.map((bound, index) => {
        below += counts[index] ?? 0;
        return line(`${name}_bucket`, join(labels, `le="${bound}"`), below);
      });
      return [
        ...buckets,
        line(`${name}_bucket`, join(labels, 'le="+Inf"'), count),
        line(`${name}_sum`, labels, sum),
        line(`${name}_count`, labels, count),
      ];
    },
  };
}

function writeSample(name: string, { labels = {}, value }: Sample): string {
  return line(name, writeLabels(labels), value);
}

function writeLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(
      ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
    )
    .join(',');
}

function join(labels: string, more: string): string {
  return labels === '' ? more : `${labels},${more}`;
}

function line(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`;
}
