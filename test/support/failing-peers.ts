import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Peer, startPeer } from './peers.ts';
import { failing } from './test-outcome.ts';

/** The password of every URI to a peer, which no peer and no message may repeat. */
export const secret = 'p4ssw0rd-not-to-be-seen';

/** Without TLS, unless it says more: such a peer is heard by the driver at once. */
export function uriOf(scheme: string, port: number, more?: string): string {
  const plain = scheme === 'postgresql' ? '?sslmode=disable' : '?ssl-mode=disabled';
  return `${scheme}://ada:${secret}@127.0.0.1:${port}/x${more ?? plain}`;
}

/** A test of a connection to a peer that must fail in time, and without the password in its message. */
export function givenUp(uri: string, timeoutMs = 300): Promise<string> {
  return failing(uri, secret, timeoutMs);
}

/** A peer for one test, which must have lost its client by the end. */
export async function withPeer<T>(greet: (socket: Socket) => void, use: (peer: Peer) => Promise<T>): Promise<T> {
  const peer = await startPeer(greet);
  try {
    const result = await use(peer);
    for (let tries = 0; tries < 1000 && peer.open() > 0; tries += 1) await sleep(10);
    assert.equal(peer.open(), 0, 'the connection is still open');
    return result;
  } finally {
    await peer.close();
  }
}

/** Says with which bytes a test failed. */
export function failedWith(bytes: Buffer): (error: unknown) => never {
  return (error) => {
    throw new Error(`with ${bytes.toString('hex')}`, { cause: error });
  };
}
