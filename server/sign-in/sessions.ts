import { createHash } from 'node:crypto';
import type { FactorKind } from '@rolecall/api';
import { newId } from '../ids.ts';
import type { Seal, SealedFields } from '../secrets/seal.ts';
import { deleteExpiredPasswords } from '../store/gateway-password.ts';
import { deleteAbandonedSessions } from '../store/gateway-session.ts';
import { deleteExpiredTokens } from '../store/one-time-token.ts';
import {
  defaultIdleSeconds,
  deleteExpiredSessions,
  deleteSession,
  endOfSession,
  findSessionByToken,
  insertSession,
  type NewSession,
  type SessionState,
  type StoredSession,
  selectSessionsOf,
  touchSessions,
} from '../store/person-session.ts';
import type { Executor, Store } from '../store/store.ts';
import type { StoreClock } from '../store-clock.ts';
import { hashToken, newSecretToken } from './secret-token.ts';

/** Seconds that sessions live. */
export interface SessionLengths {
  /** Without a request. */
  readonly idle: number;
  /** In all. */
  readonly whole: number;
}

export const defaultSessionLengths: SessionLengths = { idle: defaultIdleSeconds, whole: 24 * 3600 };

/** Milliseconds that a person has for the second factor. */
const pendingMs = 10 * 60_000;

/** Milliseconds for which a proven factor counts for changes of factors. */
const recentMs = 10 * 60_000;

/** Milliseconds after which the use of sessions is written: by as much a session may outlive its time without a request. */
export const useMs = 3000;

/** Sessions in use that a statement writes. */
const touchedAtOnce = 500;

/** The most sessions that one person can have; the oldest ends when another one begins. */
const mostOfPerson = 100;

export interface SessionsOptions {
  readonly store: Store;
  readonly seal: Seal;
  readonly clock: StoreClock;
  /** Takes the key that the store has now. */
  readonly follow: () => Promise<void>;
  readonly lengths?: SessionLengths;
}

/** The properties of a new session. */
export interface SessionOpening {
  readonly person: string;
  readonly kind: StoredSession['kind'];
  readonly state: SessionState;
  /** The factors that were just proven. */
  readonly factors: readonly FactorKind[];
  readonly address: string;
  /** The name that the browser or tool gives itself. */
  readonly client: string;
  readonly providerSession?: string | undefined;
  /** Time at which the factors were proven, in milliseconds since 1970; default: now. */
  readonly provenAt?: number | undefined;
  /** Latest end, ISO 8601; default: when the service ends every session. */
  readonly until?: string | undefined;
}

/** A session that is valid at this moment. */
export interface LiveSession extends StoredSession {
  /** True if its factors were proven in this browser within the last ten minutes, which a tool never has. */
  readonly isRecent: boolean;
  /** Bound to the session: a page of another site cannot know it. */
  readonly csrfToken: string;
}

const tokenPrefix = 'rolecall_session_';

/** The sessions of people. Each is a row that is read at every request, so its end counts at once, on every replica. */
export class Sessions {
  readonly #parts: Required<SessionsOptions>;
  /** The sessions that were used since the last write of their use. */
  #used = new Set<string>();

  constructor(options: SessionsOptions) {
    this.#parts = { lengths: defaultSessionLengths, ...options };
  }

  /**
   * Opens a session, within a write of the caller's. Every sign-in gets a new token, so that one which was planted in a
   * browser before is worth nothing.
   */
  async open(executor: Executor, opening: SessionOpening): Promise<{ id: string; token: string; expiresAt: string }> {
    await this.#parts.clock.refresh(executor);
    const now = this.#parts.clock.now();
    const { token, hash } = newSecretToken(tokenPrefix);
    const at = toIso(now);
    const end = now + (opening.state === 'whole' ? this.#parts.lengths.whole * 1000 : pendingMs);
    const session = {
      id: newId(),
      tokenHash: hash,
      personId: opening.person,
      kind: opening.kind,
      state: opening.state,
      factors: opening.factors,
      createdAt: at,
      lastUsedAt: at,
      idleSeconds: this.#parts.lengths.idle,
      provenAt: toIso(Math.min(now, opening.provenAt ?? now)),
      expiresAt: toIso(opening.until === undefined ? end : Math.min(end, Date.parse(opening.until))),
      address: opening.address,
      client: opening.client.slice(0, 200),
      providerSession: opening.providerSession ?? null,
    };
    await this.#makeRoom(executor, opening);
    const mac = this.#parts.seal.mac(rowName(session.id), sealedFields(session));
    await insertSession(executor, { ...session, mac });
    return { id: session.id, token, expiresAt: session.expiresAt };
  }

  /** Sessions that lack a factor have room of their own: who knows only the password would otherwise end those of the person. */
  async #makeRoom(executor: Executor, { person, state }: SessionOpening): Promise<void> {
    const all = await selectSessionsOf(executor, person);
    const sessions = all.filter((session) => (session.state === 'whole') === (state === 'whole'));
    for (const { id } of sessions.slice(mostOfPerson - 1)) await deleteSession(executor, id);
  }

  /**
   * Finds the session of a token, and notes its use. A session that is over, or whose person is locked, does not count.
   *
   * @throws StoreUnavailableError; StoreKeyChangedError where the store has a key that this process cannot get
   */
  async find(token: string): Promise<LiveSession | undefined> {
    if (!token.startsWith(tokenPrefix) || token.length > 100) return undefined;
    const session = await this.#parts.store.read(async (executor) => {
      await this.#parts.clock.refresh(executor);
      return findSessionByToken(executor, hashToken(token));
    });
    if (session === undefined) return undefined;
    // Another replica may have made it under a key that this one does not have yet.
    if (!this.#isIntact(session)) await this.#parts.follow();
    const now = this.#parts.clock.now();
    if (!this.isValid(session)) return undefined;
    this.#used.add(session.id);
    // The next request could come before that write, and would find the session over.
    if (endOfSession(session) - now < 2 * useMs) await this.saveUse();
    const isRecent = session.kind === 'browser' && now - Date.parse(session.provenAt) < recentMs;
    return { ...session, isRecent, csrfToken: createHash('sha256').update(`csrf ${token}`).digest('base64url') };
  }

  /** True if a session counts at this moment: it is as the service wrote it, not over, and its person is not locked. */
  isValid(session: StoredSession): boolean {
    const now = this.#parts.clock.now();
    return !session.isLocked && now < endOfSession(session) && this.#isIntact(session);
  }

  /** True if the session is as the service wrote it. */
  #isIntact(session: StoredSession): boolean {
    const fields = sealedFields({ ...session, personId: session.person.id });
    return this.#parts.seal.matches(session.mac, rowName(session.id), fields);
  }

  /** Deletes sessions, one-time tokens and passwords for the gateway that are over, and what dead gateways have left. */
  async tidy(): Promise<void> {
    await this.#parts.store.write([], async (executor) => {
      await this.#parts.clock.refresh(executor);
      const now = toIso(this.#parts.clock.now());
      await deleteExpiredSessions(executor, now);
      await deleteExpiredTokens(executor, now);
      await deleteExpiredPasswords(executor, now);
      await deleteAbandonedSessions(executor);
    });
  }

  /**
   * Writes the use of sessions: together and every few seconds, so that only requests to a session that is nearly over wait for the disk,
   * and a busy service writes no more than a quiet one. Their time without a request begins at this write.
   *
   * @throws StoreUnavailableError; the next call writes what this one could not
   */
  async saveUse(): Promise<void> {
    const used = [...this.#used];
    if (used.length === 0) return;
    this.#used = new Set();
    const { store, clock, lengths } = this.#parts;
    try {
      await store.write([], async (executor) => {
        await clock.refresh(executor);
        const use = { at: toIso(clock.now()), idleSeconds: lengths.idle };
        for (let start = 0; start < used.length; start += touchedAtOnce) {
          await touchSessions(executor, used.slice(start, start + touchedAtOnce), use);
        }
      });
    } catch (error) {
      for (const id of used) this.#used.add(id);
      throw error;
    }
  }
}

const rowName = (id: string): string => `person_session ${id}`;

/** Every column that decides; `last_used_at` and `idle_seconds` only shorten what these allow. */
function sealedFields(session: Omit<NewSession, 'mac'>): SealedFields {
  const { tokenHash, personId, kind, state, factors, createdAt, provenAt, expiresAt, providerSession } = session;
  return {
    tokenHash,
    personId,
    kind,
    state,
    factors: factors.join(' '),
    createdAt,
    provenAt,
    expiresAt,
    providerSession,
  };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
