import { randomBytes } from 'node:crypto';
import type { Seal } from '../secrets/seal.ts';

/**
 * Cookie that a browser keeps after a person has signed in with it. It opens nothing: guesses from this browser are
 * only counted apart from everyone else's.
 */

/** The name of its cookie. */
export const deviceCookie = 'device';

/** Seconds for which a browser keeps it: the most that browsers allow. */
export const deviceSeconds = 400 * 24 * 3600;

export function newDevice(seal: Seal, person: string): string {
  const id = randomBytes(16).toString('base64url');
  return `${id}.${macOf(seal, id, person)}`;
}

/** The id of the device, if it is one of this person. */
export function readDevice(seal: Seal, value: string | undefined, person: string): string | undefined {
  const [id = '', mac = ''] = value?.split('.') ?? [];
  return seal.matches(Buffer.from(mac, 'base64url'), rowName(id), { person }) ? id : undefined;
}

const rowName = (id: string): string => `known device ${id}`;

function macOf(seal: Seal, id: string, person: string): string {
  return Buffer.from(seal.mac(rowName(id), { person })).toString('base64url');
}
