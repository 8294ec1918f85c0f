import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSourceReference } from '@rolecall/api';
import { describeDenial } from '../access/describe-denial.ts';
import type { Gate } from '../access/gate.ts';
import type { EntryDraft } from '../audit/entry.ts';
import type { Clock } from '../clock.ts';
import { Refusal } from '../refusal.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';

/** A query that runs, or whose rows are sent, as long as its person's access lasts. */
export interface OpenQuery {
  readonly id: string;
  /** The person's id. */
  readonly person: string;
  readonly source: DataSourceReference;
}

interface PassagesParts {
  readonly gate: Gate;
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  readonly onError: (error: unknown, what: string) => void;
}

/** Attempts to record an end, and the pause between them: together longer than a store is away while its database restarts. */
const recording = { attempts: 30, pauseMs: 1000 };

/** Opens passages of the gate for the running work of people, and records why each one ended. */
export class Passages {
  readonly #parts: PassagesParts;

  constructor(parts: PassagesParts) {
    this.#parts = parts;
  }

  /**
   * @param end is called once when the access ends, with the reason in words
   * @returns to be called when the query is over, or its rows are sent
   * @throws Refusal access_ended
   */
  async enter({ id, person, source }: OpenQuery, end: (reason: string) => void): Promise<() => void> {
    const passage = await this.#parts.gate.enter(person, source.id, (denial) => {
      const reason = describeDenial(denial, source);
      end(reason);
      void this.#record({ person, dataSource: source.id, reason }, id);
    });
    const { reach } = passage;
    if (!reach.allowed) throw new Refusal('access_ended', describeDenial(reach, source));
    return () => {
      passage.leave();
    };
  }

  async #record(after: { person: string; dataSource: string; reason: string }, query: string): Promise<void> {
    const { store, clock, onError } = this.#parts;
    const entry: EntryDraft = {
      at: clock().toISOString(),
      actor: { type: 'service', id: 'gate' },
      operation: 'access-end',
      requestId: null,
      changes: [{ kind: 'query', id: query, action: 'access ended', after }],
    };
    for (let count = 1; ; count += 1) {
      try {
        await store.write([], (_executor, record) => {
          record(entry);
        });
        return;
      } catch (error) {
        if (count === recording.attempts || !(error instanceof StoreUnavailableError)) {
          onError(error, 'the audit trail has no entry for the end of an access');
          return;
        }
      }
      await sleep(recording.pauseMs, undefined, { ref: false });
    }
  }
}
