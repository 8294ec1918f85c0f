import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Client, Me } from '@rolecall/api';
import { createExampleDatabase } from './example-database.ts';
import { SignInLink } from './sign-in-link.ts';
import { claim } from './stage.ts';

/** Seconds for which the person of the demonstration reaches its database. */
const grantSeconds = 4 * 3600;

interface WorkspaceParts {
  readonly client: Client;
  /** The address of the service. */
  readonly url: string;
  /** Folder of database files, as the service resolves it. */
  readonly folder: string;
}

/** Prepares the page: a database with real data, a person who reaches it, and a link that signs them in once. */
export async function openWorkspace({ client, url, folder }: WorkspaceParts): Promise<{
  readonly person: string;
  readonly link: SignInLink;
}> {
  const page = await fetch(url);
  claim(page.ok, 'the service has no page: run "npm run build:web"');
  const people = await client.call('listPeople', {});
  const person = people.find(({ isLocked }) => !isLocked);
  claim(person !== undefined, 'the example has no person who is not locked');
  const file = path.join(folder, 'shop.db');
  createExampleDatabase(file);
  const source = await client.call('createDataSource', {
    body: { name: 'Shop', alias: 'demo-shop', configUri: `sqlite://${file}` },
  });
  const permission = { person: person.id, dataSource: source.id };
  await client.call('createPermission', { params: permission, body: { duration: grantSeconds } });
  const { link } = await client.call('invitePerson', { params: { person: person.id }, body: { delivery: 'link' } });
  const cookie = await signIn(url, new URL(link ?? url).hash.slice(1));
  return { person: person.name, link: await SignInLink.open(cookie, url) };
}

/** Accepts an invitation as a browser would, with a password that is not kept. @returns the cookie of the session */
async function signIn(url: string, token: string): Promise<string> {
  const invited = await send(`${url}/person/v1/enrolment`, { token });
  const { csrfToken } = (await invited.json()) as Me;
  const [pair = ''] = cookieOf(invited).split(';');
  const password = randomBytes(24).toString('base64url');
  return cookieOf(await send(`${url}/person/v1/factor`, { password }, { cookie: pair, 'rolecall-csrf': csrfToken }));
}

async function send(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  claim(answer.ok, `the sign-in was refused: ${answer.status}`);
  return answer;
}

function cookieOf(answer: Response): string {
  const cookie = answer.headers.getSetCookie().find((header) => header.startsWith('rolecall='));
  claim(cookie !== undefined, 'the sign-in opened no session');
  return cookie;
}
