import type { GatewaySession } from '@rolecall/api';
import { describeDenial } from '../access/describe-denial.ts';
import type { Gate } from '../access/gate.ts';
import type { Clock } from '../clock.ts';
import type { Guard } from '../databases/guard/index.ts';
import { FatalError } from '../protocols/fatal-error.ts';
import { startTicker, type Ticker } from '../queries/ticker.ts';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import type { Seal } from '../secrets/seal.ts';
import { selectSealedUris } from '../store/data-source.ts';
import { selectPresentPasswords } from '../store/gateway-password.ts';
import { selectSessionsToEnd } from '../store/gateway-session.ts';
import { selectSessionEnds } from '../store/person-session.ts';
import type { Store } from '../store/store.ts';
import type { StoreClock } from '../store-clock.ts';
import { type Ending, Figures, type Traffic } from './figures.ts';
import { Memory } from './memory.ts';
import type { LivePassword } from './passwords.ts';
import { ProcessLease } from './process-lease.ts';
import { GatewayAudit } from './session-audit.ts';
import { shuttingDown } from './shutting-down.ts';
import { Spares } from './spares.ts';
import { StandStill } from './stand-still.ts';

/** Interval at which it looks whether passwords and data sources are still there, in milliseconds. */
const lookMs = 300;

/** Time before the end of an access at which its sessions are told, in milliseconds. */
const noticeMs = 5 * 60_000;

export interface GatewayParts {
  readonly store: Store;
  readonly seal: Seal;
  readonly digest: KeyedDigest;
  readonly clock: Clock;
  readonly storeClock: StoreClock;
  readonly gate: Gate;
  readonly guard: Guard;
  /** Form in which the audit trail shows statements: their texts, bounded, or only digests. */
  readonly auditStatements: 'text' | 'digest';
  /** Notes a log-in that was refused. @param person the id; undefined for a name that no person has */
  readonly refused: (address: string, person: string | undefined) => void;
  /** Interval at which it looks whether accesses end soon, in milliseconds. Default 30,000. */
  readonly endsSoonEveryMs?: number | undefined;
  readonly onError: (error: unknown, what: string) => void;
}

/** A session of a person through the gateway, whichever protocol it speaks. */
export interface OpenSession {
  /** As the audit trail and the list of sessions have it. */
  readonly id: string;
  readonly password: LivePassword;
  /** The connection URI as it was when the session began. */
  readonly uri: string;
  readonly protocol: GatewaySession['protocol'];
  readonly traffic: () => Traffic;
  /** Ends the session. @param reason for the person */
  readonly cut: (reason: string, ending: Ending) => Promise<void>;
  readonly notify: (message: string) => void;
  /** True if it can be ended without harm: no statement runs, and no transaction is open. */
  readonly isAtRest: () => boolean;
}

/** Present state of all that sessions depend on, by id: passwords, the sign-ins that made them, and where data sources lead. */
interface Dependencies {
  readonly passwords: ReadonlySet<string>;
  /** With the moment at which each one is over. */
  readonly signIns: ReadonlyMap<string, number>;
  readonly uris: ReadonlyMap<string, string>;
}

/** The open sessions of the gateway, and what ends them besides their access: a deleted password, a changed data source. */
export class Gateway {
  readonly parts: GatewayParts;
  readonly audit: GatewayAudit;
  readonly sessions = new Set<OpenSession>();
  readonly figures = new Figures();
  readonly memory = new Memory();
  readonly spares = new Spares();
  readonly standStill: StandStill;
  readonly #lease = new ProcessLease();
  readonly #told = new WeakSet<OpenSession>();
  readonly #tickers: readonly Ticker[];
  #isAway = false;

  constructor(parts: GatewayParts) {
    const { onError, store, clock, gate, endsSoonEveryMs = 30_000 } = parts;
    this.parts = parts;
    this.audit = new GatewayAudit({
      store,
      clock,
      lease: this.#lease,
      onError: (error) => {
        onError(error, 'the gateway passes nothing on: it cannot write the audit trail');
      },
    });
    const failed = (error: unknown): void => {
      // Once for each outage, not at every look.
      if (!this.#isAway) onError(error, 'the gateway cannot read the store');
      this.#isAway = true;
    };
    this.standStill = new StandStill({
      ask: async () => {
        // The reason for the person comes first where both have ended.
        await gate.recheck();
        await this.#endRevoked();
      },
      onAsked: () => {
        this.audit.resume();
      },
      onError: failed,
    });
    this.#tickers = [
      startTicker(lookMs, () => this.#endRevoked(), failed),
      startTicker(endsSoonEveryMs, () => this.#tellOfEnds(), failed),
    ];
  }

  /** Ends the sessions at rest, then after the grace period the others, and writes what the audit trail lacks. */
  async close(graceMs: number): Promise<void> {
    const end = performance.now() + graceMs;
    const reason = shuttingDown().message;
    for (;;) {
      const isLate = performance.now() >= end;
      await Promise.all(
        [...this.sessions]
          .filter((session) => isLate || session.isAtRest())
          .map((session) => session.cut(reason, 'shutdown')),
      );
      if (isLate || this.sessions.size === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    this.standStill.close();
    // Until then, a session can still be ended, and is in the list.
    await Promise.all(this.#tickers.map((ticker) => ticker.stop()));
    await this.audit.flush();
  }

  async #endRevoked(): Promise<void> {
    if (this.sessions.size === 0) return;
    const all = [...this.sessions];
    const read = await this.#readDependencies(all.map(({ password }) => password));
    for (const session of all) {
      const reason = read.toEnd.get(session.id) ?? this.#reasonToEnd(session, read);
      if (reason !== undefined) void session.cut(reason, 'ended');
    }
    // Last: a store that takes no writes still tells what is to end.
    if (this.#lease.isDue) await this.#lease.renew(this.parts.store, () => this.audit.open);
    this.#isAway = false;
  }

  /**
   * Looks again at a password that was read a while ago: a client may take its time for the proof, and a database to answer.
   *
   * @throws FatalError if it has ended since; StoreUnavailableError
   */
  async requireStill(entering: Pick<OpenSession, 'password' | 'uri'>): Promise<void> {
    const { password } = entering;
    const { storeClock } = this.parts;
    if (storeClock.now() - password.readAt < lookMs) return;
    const read = await this.#readDependencies([password]);
    const ended = this.#reasonToEnd(entering, read);
    if (ended !== undefined) throw new FatalError('28P01', ended);
    const until = Math.min(password.expiresAt, read.signIns.get(password.session.id) ?? 0);
    if (until <= storeClock.now())
      throw new FatalError('28P01', 'the password, or the sign-in that made it, has expired');
  }

  #reasonToEnd(
    { password, uri }: Pick<OpenSession, 'password' | 'uri'>,
    { passwords, signIns, uris }: Dependencies,
  ): string | undefined {
    if (this.#wasEnded(password, passwords) || this.#wasEnded(password.session, signIns)) {
      return 'the password of this session, or the sign-in that made it, was ended';
    }
    // A data source that is gone has ended the access of everyone.
    const isElsewhere = uri !== (uris.get(password.source.id) ?? uri);
    return isElsewhere ? 'the data source leads elsewhere now: connect again' : undefined;
  }

  /** Reads what sessions depend on besides access. All at once: on a busy machine, each wait for the store is long. */
  async #readDependencies(of: readonly LivePassword[]): Promise<Dependencies & { toEnd: ReadonlyMap<string, string> }> {
    const { store, seal, storeClock } = this.parts;
    const idsOf = (id: (password: LivePassword) => string): string[] => [...new Set(of.map(id))];
    const [passwords, signIns, toEnd, sources] = await store.read((executor) =>
      Promise.all([
        selectPresentPasswords(
          executor,
          idsOf(({ id }) => id),
        ),
        selectSessionEnds(
          executor,
          idsOf(({ session }) => session.id),
        ),
        selectSessionsToEnd(executor, this.#lease.process.id),
        selectSealedUris(
          executor,
          idsOf(({ source }) => source.id),
        ),
        storeClock.refresh(executor),
      ]),
    );
    return {
      passwords,
      signIns,
      toEnd: new Map(toEnd.map(({ id, reason }) => [id, reason])),
      uris: new Map(sources.map(({ id, sealedUri }) => [id, seal.open(sealedUri, id)])),
    };
  }

  /** True if a password or sign-in was ended. An expired one is deleted at some time, too; it only opened the session. */
  #wasEnded(
    { id, expiresAt }: LivePassword | LivePassword['session'],
    present: Pick<ReadonlySet<string>, 'has'>,
  ): boolean {
    return !present.has(id) && this.parts.storeClock.now() < expiresAt;
  }

  async #tellOfEnds(): Promise<void> {
    const { gate, storeClock } = this.parts;
    for (const session of this.sessions) {
      const { person, source } = session.password;
      const reach = await gate.reach(person, source.id);
      if (this.#told.has(session) || !reach.allowed || reach.until - storeClock.now() > noticeMs) continue;
      this.#told.add(session);
      const at = new Date(reach.until).toISOString().replace(/\.\d+Z$/, 'Z');
      session.notify(`your access to ${source.alias ?? source.name} ends at ${at}`);
    }
  }
}

/** The right to be at a data source. Disposing of it tells the gate that its person has left. */
export interface Entrance extends Disposable {
  /** The connection URI. */
  readonly uri: string;
}

/**
 * Asks the gate, and opens the connection URI of a data source.
 *
 * @param onEnd is called once when the access ends, with the reason for the person
 * @throws FatalError where the person is not let in; StoreUnavailableError
 */
export async function enter(
  { gate, seal }: Pick<GatewayParts, 'gate' | 'seal'>,
  { person, source }: LivePassword,
  onEnd: (reason: string) => void,
): Promise<Entrance> {
  // As it was a moment ago: where it leads elsewhere by now, the next look ends the session.
  const uri = seal.open(source.sealedUri, source.id);
  const passage = await gate.enter(person, source.id, (denial) => {
    onEnd(describeDenial(denial, source));
  });
  if (!passage.reach.allowed) {
    throw new FatalError('28000', describeDenial(passage.reach, source), 'Ask for access, then connect again.');
  }
  return {
    uri,
    [Symbol.dispose]: () => {
      passage.leave();
    },
  };
}
