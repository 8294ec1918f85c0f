import type { Column, Completion } from '../rows/results.ts';

/** What a child process that runs commands on a SQLite file is told, one line of JSON each, on standard input. */
export type Order =
  /** First of all. `busyTimeout` in milliseconds. */
  | { open: { file: string; readOnly: boolean; busyTimeout: number } }
  | { execute: string }
  | { commit: true }
  | { rollback: true };

/**
 * What it answers on standard output, in frames: a kind (1 byte), the length of the body (4 bytes, big-endian), the
 * body. Rows are the number of rows (4 bytes), the length of each (4 bytes, little-endian), and their JSON with commas
 * between them; all other bodies are JSON. Every order is answered by `done` or `failed`, after what it gave.
 */
export const frame = { columns: 1, rows: 2, done: 3, failed: 4 } as const;

export type FrameBody = { columns: Column[]; done: Completion | null; failed: string };

export const frameHeader = 5;
