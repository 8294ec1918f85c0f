import { cpuUsage, memoryUsage } from 'node:process';
import type { MetricDefinition, Sample } from './registry.ts';

/** The metrics of every Rolecall process, under the usual names. */
export const processTable = {
  process_start_time_seconds: { type: 'gauge', help: 'When the process started, since 1970.', labels: [] },
  process_cpu_seconds_total: { type: 'counter', help: 'Processor time used by the process.', labels: [] },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory.', labels: [] },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Memory in use on the JavaScript heap.', labels: [] },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'Size of the JavaScript heap.', labels: [] },
} as const satisfies Record<string, MetricDefinition>;

type Read = (name: keyof typeof processTable, samples: () => readonly Sample[]) => void;

/** Registers how to read them. */
export function readProcess(read: Read): void {
  read('process_start_time_seconds', () => [{ value: performance.timeOrigin / 1000 }]);
  read('process_cpu_seconds_total', () => {
    const { user, system } = cpuUsage();
    return [{ value: (user + system) / 1e6 }];
  });
  read('process_resident_memory_bytes', () => [{ value: memoryUsage.rss() }]);
  read('nodejs_heap_size_used_bytes', () => [{ value: memoryUsage().heapUsed }]);
  read('nodejs_heap_size_total_bytes', () => [{ value: memoryUsage().heapTotal }]);
}
