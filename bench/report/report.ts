import { cpus, totalmem } from 'node:os';
import { type Bound, describeBound, isMissed } from './bound.ts';

/** What a benchmark measured. Figures that compare are ratios against a peer or a floor of the same run. */
export interface Report {
  name: string;
  figures: Record<string, number>;
  /** What each figure is. */
  notes: Readonly<Record<string, string>>;
  /** The targets of figures. */
  bounds?: Readonly<Record<string, Bound>>;
}

export interface Machine {
  cpu: string;
  cores: number;
  memoryGiB: number;
  node: string;
  platform: string;
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
}

/** The middle of several measurements: a machine that others use too makes means worthless. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The value below which this share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

/** Figures as a person reads them. */
export function renderReport({ name, figures, notes, bounds }: Report, machine: Machine): string {
  const width = Math.max(...Object.keys(figures).map((figure) => figure.length));
  const lines = Object.entries(figures).map(
    ([figure, value]) =>
      `  ${figure.padEnd(width)}  ${String(value).padStart(12)}  ${describeFigure(notes[figure] ?? '', value, bounds?.[figure])}`,
  );
  return [`${name} (${machine.cpu}, ${machine.cores} cores, Node ${machine.node})`, ...lines, ''].join('\n');
}

/** The meaning and the target of a figure, marked if it misses the target. */
export function describeFigure(note: string, value: number, bound: Bound | undefined, mark = 'Missed:'): string {
  if (bound === undefined) return note;
  return `${isMissed(value, bound) ? `${mark} ` : ''}${note} (${describeBound(bound)})`;
}
