import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** One thing that a traced process did, once the system had done it. */
export type Traced =
  | { kind: 'wrote'; thread: number; file: string; at: number; bytes: Buffer }
  | { kind: 'cut'; thread: number; file: string; length: number }
  /** Everything that was written to the file before this is on disk. `begun` counts what had happened when it was asked for. */
  | { kind: 'synced'; thread: number; file: string; begun: number }
  | { kind: 'printed'; thread: number; text: string };

/** What strace has to be told, before the program and after the name of its own output. */
export const straceOptions = ['-f', '-y', '-xx', '-s', '65536', '-e', 'trace=pwrite64,write,fdatasync,fsync,ftruncate'];

const call = /^(\d+) +(\w+)\((\d+)<((?:\\x[0-9a-f]{2})*)>(?:, "((?:\\x[0-9a-f]{2})*)")?[^)]*?(?:, (\d+))?\) += (-?\d+)/;

/** Reads the output of strace: the calls that succeeded, in the order in which they ended. */
export async function readTrace(file: string): Promise<Traced[]> {
  const unfinished = new Map<string, { line: string; begun: number }>();
  const events: Traced[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, thread = ''] = /^(\d+) /.exec(line) ?? [];
    if (line.endsWith('<unfinished ...>')) {
      unfinished.set(thread, { line: line.slice(0, -'<unfinished ...>'.length).trimEnd(), begun: events.length });
      continue;
    }
    const [, rest] = /<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    const half = rest === undefined ? undefined : unfinished.get(thread);
    const event = toEvent(`${half?.line ?? ''}${rest ?? line}`, half?.begun ?? events.length);
    if (event !== undefined) events.push(event);
  }
  return events;
}

function toEvent(line: string, begun: number): Traced | undefined {
  const [, id, name, descriptor, hexPath = '', hexBytes = '', number, result] = call.exec(line) ?? [];
  if (Number(result ?? -1) < 0) return undefined;
  const [thread, file] = [Number(id), decode(hexPath).toString()];
  if (name === 'pwrite64') return { kind: 'wrote', thread, file, at: Number(number), bytes: decode(hexBytes) };
  if (name === 'ftruncate') return { kind: 'cut', thread, file, length: Number(number) };
  if (name === 'fsync' || name === 'fdatasync') return { kind: 'synced', thread, file, begun };
  if (name !== 'write' || descriptor !== '1') return undefined;
  return { kind: 'printed', thread, text: decode(hexBytes).toString() };
}

function decode(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

type Change = Extract<Traced, { kind: 'wrote' | 'cut' }>;

/** What a disk has of a file, and what only the system's memory has: a power cut may leave any part of that. */
export class DiskFile {
  #stored: Buffer;
  #waiting: { change: Change; index: number }[] = [];

  constructor(stored: Buffer) {
    this.#stored = stored;
  }

  change(change: Change, index: number): void {
    this.#waiting.push({ change, index });
  }

  /** @param begun the first event that may have come too late for it */
  sync(begun: number): void {
    for (const { change, index } of this.#waiting) if (index < begun) this.#stored = apply(this.#stored, change);
    this.#waiting = this.#waiting.filter(({ index }) => index >= begun);
  }

  /** @param isKept decides, for each change that may be lost, whether the disk has it all the same */
  afterPowerCut(isKept: () => boolean): Buffer {
    let bytes = this.#stored;
    for (const { change } of this.#waiting) if (isKept()) bytes = apply(bytes, change);
    return bytes;
  }
}

function apply(bytes: Buffer, change: Change): Buffer {
  const length = change.kind === 'cut' ? change.length : Math.max(bytes.length, change.at + change.bytes.length);
  const next = bytes.length === length ? bytes : Buffer.alloc(length);
  if (next !== bytes) bytes.copy(next);
  if (change.kind === 'wrote') change.bytes.copy(next, change.at);
  return next;
}
