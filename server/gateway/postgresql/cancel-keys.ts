import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { CancelKey } from '../../protocols/postgresql/startup.ts';

/** A session that its client may cancel. */
interface Cancellable {
  readonly secret: Buffer;
  readonly cancel: () => Promise<void>;
}

/** The most bytes that clients of protocol 3.0 take as a secret, and how many later ones get (PostgreSQL's manual, "BackendKeyData"). */
const [shortSecret, longSecret] = [4, 32];

/**
 * The keys by which clients cancel. Clients get the process id that the server has, so that they recognise themselves in what the
 * server tells of its sessions. Two servers give the same id to different sessions, so only the secret, which is the gateway's own,
 * tells a session. There are as many keys as sessions.
 */
export class CancelKeys {
  readonly #keys = new Map<number, Set<Cancellable>>();

  /**
   * Makes a key for a session.
   *
   * @param serverId the process id of the session at its server; undefined where that gave none, as some poolers do
   * @param minor of the protocol that the client speaks
   * @returns what the client gets, and what forgets the key
   */
  add(serverId: number | undefined, minor: number, cancel: () => Promise<void>): CancelKey & { forget: () => void } {
    const processId = serverId ?? randomInt(1, 2 ** 31);
    const keys = this.#keys.get(processId) ?? new Set();
    this.#keys.set(processId, keys);
    const key = { secret: newSecret(minor < 2 ? shortSecret : longSecret, keys), cancel };
    keys.add(key);
    const forget = (): void => {
      keys.delete(key);
      if (keys.size === 0) this.#keys.delete(processId);
    };
    return { processId, secret: key.secret, forget };
  }

  /** Cancels what a session does, if its client asks for it. Takes the same time whichever key fits. */
  async cancel({ processId, secret }: CancelKey): Promise<void> {
    const fitting = [...(this.#keys.get(processId) ?? [])].filter(
      (key) => key.secret.length === secret.length && timingSafeEqual(key.secret, secret),
    );
    await fitting[0]?.cancel();
  }
}

/** Short secrets can be alike by chance, and some clients take 0 for none. */
function newSecret(bytes: number, keys: ReadonlySet<Cancellable>): Buffer {
  for (;;) {
    const secret = randomBytes(bytes);
    if (secret.readInt32BE(0) !== 0 && !keys.values().some((key) => key.secret.equals(secret))) return secret;
  }
}
