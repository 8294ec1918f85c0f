import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

export const nonceLength = 20;

/**
 * Verifier that the gateway keeps of a password: its hash, hashed again. It proves the password, and cannot be used as one.
 * Passwords are 256 random bits, which no weakness of SHA-1 makes easier to guess.
 */
export interface HashVerifier {
  readonly sha1: Buffer;
  readonly sha2: Buffer;
}

/** A way to prove a password with one message (MySQL's manual, "Authentication Plugins"). */
interface Plugin {
  readonly proofLength: number;
  readonly hash: (bytes: Buffer) => Buffer;
  readonly verifierOf: (verifier: HashVerifier) => Buffer;
  /** Returns the bytes whose hash hides the proof. */
  readonly masked: (verifier: Buffer, nonce: Buffer) => readonly Buffer[];
  /** True if the server says that the proof was enough, before it lets the client in. */
  readonly saysEnough: boolean;
}

/** The authentication plugins by which clients may log in. */
const plugins = {
  caching_sha2_password: {
    proofLength: 32,
    hash: (bytes: Buffer) => hash('sha256', bytes, 'buffer'),
    verifierOf: ({ sha2 }: HashVerifier) => sha2,
    masked: (verifier: Buffer, nonce: Buffer) => [verifier, nonce],
    saysEnough: true,
  },
  mysql_native_password: {
    proofLength: 20,
    hash: (bytes: Buffer) => hash('sha1', bytes, 'buffer'),
    verifierOf: ({ sha1 }: HashVerifier) => sha1,
    masked: (verifier: Buffer, nonce: Buffer) => [nonce, verifier],
    saysEnough: false,
  },
} satisfies Record<string, Plugin>;

export type PluginName = keyof typeof plugins;

export function isPlugin(name: string): name is PluginName {
  return Object.hasOwn(plugins, name);
}

export function pluginOf(name: PluginName): Plugin {
  return plugins[name];
}

export function makeHashVerifier(password: string): HashVerifier {
  const twice = ({ hash: once }: Plugin): Buffer => once(once(Buffer.from(password)));
  return { sha1: twice(plugins.mysql_native_password), sha2: twice(plugins.caching_sha2_password) };
}

/** Bytes without NUL, which would end them for some clients. */
export function newNonce(): Buffer {
  return Buffer.from(randomBytes(nonceLength).map((byte) => (byte % 127) + 1));
}

/** No password proves this one. With it, a name without passwords costs as much work as one with a password. */
const mock: HashVerifier = { sha1: randomBytes(20), sha2: randomBytes(32) };

/**
 * Finds the password that a proof is of. The proof is the hash of the password, hidden by a hash of nonce and verifier. So the one
 * who has the verifier gets the hash, and compares the hash of that.
 */
export function findProven<V extends HashVerifier>(
  name: PluginName,
  proof: Buffer,
  nonce: Buffer,
  candidates: readonly V[],
): V | undefined {
  const { proofLength, hash: digest, verifierOf, masked } = pluginOf(name);
  let password: V | undefined;
  for (const candidate of [mock, ...candidates]) {
    const verifier = verifierOf(candidate);
    const mask = digest(Buffer.concat(masked(verifier, nonce)));
    const hashed = digest(Buffer.from(mask.map((byte, index) => byte ^ (proof[index] ?? 0))));
    // Only a candidate: no one has a password whose hash is the mock's random bytes.
    const isProven = proof.length === proofLength && hashed.length === verifier.length;
    if (isProven && timingSafeEqual(hashed, verifier)) password = candidate as V;
  }
  return password;
}
