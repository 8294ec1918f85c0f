import type { Column, Completion } from '../rows/results.ts';
import type { Bindings } from '../session.ts';

/** An order for a child process that runs commands on a SQLite file: a line of JSON on its standard input. */
export type Order =
  /** First of all. `busyTimeout` in milliseconds. */
  | { open: { file: string; readOnly: boolean; busyTimeout: number } }
  | { execute: string; bindings: Bindings }
  | { commit: true }
  | { rollback: true };

/**
 * The child answers on standard output, in frames: a kind (1 byte), the length of the body (4 bytes, big-endian), the body.
 * Rows are their number (4 bytes), the length of each (4 bytes, little-endian), and their JSON with commas in between; all other
 * bodies are JSON. Each order ends with `done` or `failed`, after its results.
 */
export const frame = { columns: 1, rows: 2, done: 3, failed: 4 } as const;

export type FrameBody = { columns: Column[]; done: Completion | null; failed: string };

export const frameHeader = 5;
