import type { Change, Fields } from '../audit/entry.ts';
import type { Clock } from '../clock.ts';
import { deleteGatewaySessions, insertGatewaySessions, type StoredGatewaySession } from '../store/gateway-session.ts';
import type { Store } from '../store/store.ts';
import type { ProcessLease } from './process-lease.ts';
import type { Statements, Told } from './statements.ts';

/**
 * Time for which statements and ends of sessions are gathered before they are written; the same for statements that the trail has
 * and that only ran again; and the pause after a write that failed, in milliseconds.
 */
const [gatherMs, gatherAgainMs, retryMs] = [100, 1000, 500];

/** Different statements of one session that may wait for the audit trail; it is written early at a quarter of that. */
const mostWaiting = 1000;

/** Characters of statements that one entry may have. */
const longestEntry = 256 * 1024;

/** Characters of a client's own name that are kept. */
const longestClient = 200;

export interface AuditedSession {
  readonly id: string;
  /** The person's id. */
  readonly person: string;
  /** The data source's id. */
  readonly dataSource: string;
  readonly protocol: StoredGatewaySession['protocol'];
  readonly address: string;
  /** Name that the client gives itself. */
  readonly client: string;
  readonly atServer: StoredGatewaySession['atServer'];
}

interface GatewayAuditParts {
  readonly store: Pick<Store, 'write'>;
  readonly lease: ProcessLease;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** One session in the audit trail. */
export interface SessionAudit {
  /** True if nothing more may be passed on: the trail cannot be written, or lacks too much. */
  readonly isBehind: () => boolean;
  /** To be called after statements were added. */
  readonly added: () => void;
  /** Writes how the session ended, in the background. Keeps trying while the store is away. */
  readonly end: (reason: string) => void;
}

/** A session that the trail follows. */
export interface Followed {
  readonly statements: Statements;
  /** Adds the statement that runs, so that one which never ends is recorded too. */
  readonly tellRunning: () => void;
  /** Is called when the trail has caught up. */
  readonly resume: () => void;
}

interface Session extends Followed {
  readonly of: StoredGatewaySession;
  ended: string | undefined;
}

/** A session whose beginning waits for its write. */
interface Begun {
  readonly entry: Untold;
  readonly resolve: (value: undefined) => void;
  readonly reject: (reason: unknown) => void;
}

interface Untold {
  readonly session: StoredGatewaySession;
  readonly action: Extract<Change['action'], 'created' | 'statements run' | 'ended'>;
  readonly after: Fields;
}

/**
 * Writes what the sessions of the gateway do into the audit trail, all of them together, some times a second, and which of
 * them are open into the list that every process reads.
 */
export class GatewayAudit {
  readonly #parts: GatewayAuditParts;
  readonly #sessions = new Set<Session>();
  #timer: NodeJS.Timeout | undefined;
  /** After how long the next write is to come; infinity if there is nothing to write. */
  #scheduledMs = Infinity;
  #writing: Promise<void> | undefined;
  readonly #begun: Begun[] = [];
  /** Entries that were taken from the sessions and are not in the store yet. */
  #taken: Untold[] = [];
  #isFailing = false;

  constructor(parts: GatewayAuditParts) {
    this.#parts = parts;
  }

  /** The sessions that the store has as open. */
  get open(): readonly StoredGatewaySession[] {
    return [...this.#sessions].map(({ of }) => of);
  }

  /**
   * Writes that a session begins, and follows it.
   *
   * @throws StoreUnavailableError, AuditTrailError: the session must not begin
   */
  async begin(begun: AuditedSession, followed: Followed): Promise<SessionAudit> {
    const { lease, clock } = this.#parts;
    const client = plainText(begun.client);
    const of = { ...begun, client, process: lease.process.id, startedAt: clock().toISOString() };
    const { dataSource, address } = of;
    await this.#writeBegun({ session: of, action: 'created', after: { dataSource, address, client } });
    const { statements, tellRunning, resume } = followed;
    const session: Session = {
      of,
      statements,
      ended: undefined,
      tellRunning: () => {
        tellRunning.call(followed);
      },
      resume: () => {
        resume.call(followed);
      },
    };
    this.#sessions.add(session);
    return {
      isBehind: () => this.#isFailing || session.statements.waiting >= mostWaiting,
      added: () => {
        this.#added(session.statements);
      },
      end: (reason) => {
        session.ended ??= reason;
        this.#schedule(gatherMs);
      },
    };
  }

  /** Writes that a session begins. Those that begin until the store gets to it share one write. */
  #writeBegun(entry: Untold): Promise<undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    this.#begun.push({ entry, resolve, reject });
    if (this.#begun.length > 1) return promise;
    let taken: readonly Begun[] | undefined;
    const take = (): readonly Begun[] => (taken ??= this.#begun.splice(0));
    this.#write(() => take().map((session) => session.entry)).then(
      () => {
        for (const session of take()) session.resolve(undefined);
      },
      (error: unknown) => {
        for (const session of take()) session.reject(error);
      },
    );
    return promise;
  }

  /** Lets the sessions go on that were held, if nothing speaks against it any more. */
  resume(): void {
    for (const session of this.#sessions) session.resume();
  }

  /** Writes what is left, once; for the end of the process. */
  async flush(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#timer);
    // It stays: nothing else is written after this.
    this.#writing = this.#flush(this.#taken.length > 0);
    await this.#writing;
  }

  #added({ waiting, hasNew }: Statements): void {
    if (waiting >= mostWaiting / 4 && !this.#isFailing) this.#schedule(0);
    else this.#schedule(hasNew ? gatherMs : gatherAgainMs);
  }

  /** Writes after this time, counted from the end of a write that is under way, or earlier. */
  #schedule(ms: number): void {
    if (ms >= this.#scheduledMs) return;
    this.#scheduledMs = ms;
    if (this.#writing !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#scheduledMs = Infinity;
        this.#writing ??= this.#flush(false).finally(() => {
          this.#writing = undefined;
          const next = this.#isFailing ? 0 : this.#scheduledMs;
          this.#scheduledMs = Infinity;
          this.#schedule(next);
        });
      },
      this.#isFailing ? Math.max(ms, retryMs) : ms,
    );
  }

  /** @param twice writes also what came while an earlier write failed */
  async #flush(twice: boolean): Promise<void> {
    if (this.#taken.length === 0) this.#take();
    // What an earlier write could not write goes first, and the rest with the next one.
    else this.#schedule(0);
    try {
      if (this.#taken.length > 0) await this.#write(() => this.#taken);
      this.#taken = [];
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#parts.onError(error);
      this.#isFailing = true;
    }
    if (!this.#isFailing) this.resume();
    if (twice) await this.#flush(false);
  }

  #take(): void {
    for (const session of this.#sessions) {
      const { of, statements, ended } = session;
      if (ended === undefined) session.tellRunning();
      for (const some of portions(statements.take())) {
        const told = some.map(({ statement, runs, rows, failed }) => ({ ...statement, runs, rows, failed }));
        this.#taken.push({
          session: of,
          action: 'statements run',
          after: { dataSource: of.dataSource, statements: told },
        });
      }
      if (ended === undefined) continue;
      this.#taken.push({ session: of, action: 'ended', after: { dataSource: of.dataSource, reason: ended } });
      this.#sessions.delete(session);
    }
  }

  /** @param take gives the entries, the same each time: a write may be tried twice */
  async #write(take: () => readonly Untold[]): Promise<void> {
    const { store, clock, lease } = this.#parts;
    const begun = performance.now();
    const keepsLease = await store.write([], async (executor, record) => {
      const at = clock().toISOString();
      const entries = take();
      const of = (wanted: Untold['action']) =>
        entries.filter(({ action }) => action === wanted).map(({ session }) => session);
      const [created, ended] = [of('created'), of('ended')];
      const isKept = created.length > 0 && lease.isDue;
      for (const { session, action, after } of entries) {
        const actor = { type: 'person', id: session.person } as const;
        const changes = [{ kind: 'gateway_session', id: session.id, action, after } as const];
        record({ at, actor, operation: 'gateway', requestId: null, changes });
      }
      // Together: PostgreSQL runs them in order without a round trip for each.
      await Promise.all([
        isKept ? lease.keep(executor, this.open) : undefined,
        insertGatewaySessions(executor, created),
        deleteGatewaySessions(executor, ended),
      ]);
      return isKept;
    });
    if (keepsLease) lease.kept(begun);
  }
}

/** Makes a client's own name fit for every store: PostgreSQL has no NUL, and a write that fails is shared by others. */
function plainText(client: string): string {
  return client
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, longestClient)
    .toWellFormed();
}

/** Parts that make entries of a bounded length. */
function portions(told: readonly Told[]): Told[][] {
  const all: Told[][] = [];
  let length = Infinity;
  for (const outcome of told) {
    length += outcome.statement.text?.length ?? 0;
    if (length > longestEntry) {
      all.push([]);
      length = outcome.statement.text?.length ?? 0;
    }
    all.at(-1)?.push(outcome);
  }
  return all;
}
