/** How much is measured, and who it is. */

/** ROLECALL_BENCH_OBJECTS and ROLECALL_BENCH_SECONDS make a short run of it, to see that it works. */
export const objects = Number(process.env['ROLECALL_BENCH_OBJECTS'] ?? 10_000);
/** A smaller number of objects, with which a start counts for more. */
export const few = Math.min(2_000, objects);
export const seconds = Number(process.env['ROLECALL_BENCH_SECONDS'] ?? 60);
export const changes = Math.round(objects * 0.3);
export const deletions = Math.round(objects * 0.1);
export const fewDeletions = Math.round(few * 0.1);
export const drifted = 20;
/** Changes a second, during which no one may wait for long. */
export const rate = 100;

export const nameOf = (index: number): string => `p-${index}`;
export const names = (count: number, from = 0) => Array.from({ length: count }, (_, index) => nameOf(from + index));
