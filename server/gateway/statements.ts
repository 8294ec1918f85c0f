import type { TextDigest } from '../audit/entry.ts';
import type { Memory } from './memory.ts';

/** Outcome of one statement since the last entry that tells of it. */
export interface Outcome {
  /** 1 when it is reported for the first time, else 0. */
  readonly runs: number;
  /** Rows that it gave or changed. */
  readonly rows: number;
  /** The SQLSTATE of its error. */
  readonly failed?: string | undefined;
}

/** A statement, and what became of its runs, as an entry of the audit trail has it. */
export interface Told {
  readonly statement: TextDigest;
  runs: number;
  rows: number;
  readonly failed: Record<string, number>;
}

/** Statements that one session remembers as told. Each takes some 150 bytes, and a person may have a thousand sessions. */
const mostKnown = 2000;

/** The statements that a session ran and that the audit trail does not have yet. Runs of the same statement count together. */
export class Statements {
  readonly #memory: Pick<Memory, 'hold'> | undefined;
  readonly #told = new Map<string, Told>();
  /** The digests whose text the trail has. */
  readonly #knownDigests = new Set<string>();

  #hasNew = false;

  /** @param memory counts the texts that wait for the audit trail */
  constructor(memory?: Pick<Memory, 'hold'>) {
    this.#memory = memory;
  }

  /** Number of different statements that wait for the audit trail. */
  get waiting(): number {
    return this.#told.size;
  }

  /** True if one of them, or one that was asked for, is not in the trail yet. The others are there, and only ran again. */
  get hasNew(): boolean {
    return this.#hasNew;
  }

  /** Notes a statement that will run. */
  expect({ digest }: TextDigest): void {
    this.#hasNew ||= !this.#knownDigests.has(digest);
  }

  add(statement: TextDigest, { runs, rows, failed }: Outcome): void {
    let told = this.#told.get(statement.digest);
    if (told === undefined) {
      told = { statement, runs: 0, rows: 0, failed: {} };
      this.#told.set(statement.digest, told);
      this.#memory?.hold(statement.text?.length ?? 0);
      this.expect(statement);
    }
    told.runs += runs;
    told.rows += rows;
    if (failed !== undefined) told.failed[failed] = (told.failed[failed] ?? 0) + 1;
  }

  /** Takes what waits. The text of a statement is only in the first entry that tells of it. */
  take(): Told[] {
    const all = [...this.#told.values()].map((told) => {
      this.#memory?.hold(-(told.statement.text?.length ?? 0));
      const { text, ...rest } = told.statement;
      return { ...told, statement: text === undefined || this.#knownDigests.has(rest.digest) ? rest : told.statement };
    });
    this.#told.clear();
    this.#hasNew = false;
    for (const { statement } of all) if (this.#knownDigests.size < mostKnown) this.#knownDigests.add(statement.digest);
    return all;
  }
}
