import type { NewKey } from '@rolecall/server';
import { basic } from '../support/service.ts';

/** Reads, and takes anything but 200 for a failure. */
export async function getJson<T>(url: string, key: NewKey, where: string): Promise<T> {
  return read(`GET ${where}`, await fetch(`${url}/api/v2${where}`, { headers: { authorization: basic(key) } }));
}

/** Sends JSON, and takes anything but 200 for a failure. */
export async function postJson<T>(url: string, key: NewKey, where: string, json: unknown): Promise<T> {
  const headers = { authorization: basic(key), 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v2${where}`, { method: 'POST', headers, body: JSON.stringify(json) });
  return read(`POST ${where}`, answer);
}

async function read<T>(what: string, answer: Response): Promise<T> {
  if (answer.status !== 200) throw new Error(`${what} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
