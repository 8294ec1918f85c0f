/** `npm run recording`: draws docs/images/terminal.svg from a real run of the command line against a real service. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@rolecall/api';
import { createKey, startService } from '@rolecall/server';
import { type Scene, terminalSvg } from './terminal-svg.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-recording-'));
const dataDir = path.join(folder, 'data');
const service = await startService({ dataDir, environment: {} });
const key = await createKey({ dataDir, environment: {}, scope: 'admin' });
const env = { ROLECALL_URL: service.url, ROLECALL_KEY_ID: key.id, ROLECALL_KEY_SECRET: key.secret };

/** Not waited for in place: the service runs in this process. */
async function run(args: string): Promise<string> {
  const command = ['--conditions=source', path.join(root, 'cli/main.ts'), ...args.split(' ')];
  const environment = { PATH: process.env['PATH'], FORCE_COLOR: '1', ...env };
  return (await promisify(execFile)(process.execPath, command, { cwd: folder, env: environment })).stdout;
}

const show = async (args: string, seconds: number, says?: string): Promise<Scene> => ({
  ...(says === undefined ? {} : { says }),
  command: `rolecall ${args}`,
  output: await run(args),
  seconds,
});

try {
  await run('init . --ci none');
  const role = readFileSync(path.join(folder, 'access/roles.yaml'), 'utf8');
  const scenes: Scene[] = [
    { says: 'Who reaches what is declared in Git', command: 'cat access/roles.yaml', output: role, seconds: 4 },
    await show('plan access/', 7, 'What would change, and who gains what by it'),
    await show('apply access/ --yes', 5),
  ];
  await meddle();
  scenes.push(await show('plan access/', 7, 'Someone takes ada out of her role, and grants her the shop, by hand'));
  scenes.push(await show('apply access/ --yes', 4, 'Put back to what was reviewed'));
  scenes.push(await show('report access', 7, 'And for the auditor'));
  const title = 'rolecall plans, applies, finds drift, repairs it, and reports who reaches what';
  writeFileSync(path.join(root, 'docs/images/terminal.svg'), terminalSvg(scenes, title));
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}

/** A change that someone might make in the workspace. */
async function meddle(): Promise<void> {
  const client = createClient({ url: service.url, keyId: key.id, keySecret: key.secret });
  const [people, roles, sources] = await Promise.all([
    client.call('listPeople', {}),
    client.call('listRoles', {}),
    client.call('listDataSources', {}),
  ]);
  const idOf = (found: { id: string } | undefined): string => found?.id ?? '';
  const person = idOf(people.find(({ username }) => username === 'ada'));
  const dataSource = idOf(sources.find(({ alias }) => alias === 'shop'));
  await client.call('removeRolePerson', { params: { role: idOf(roles[0]), person } });
  await client.call('createPermission', { params: { dataSource, person }, body: { duration: 86_400 } });
  await client.close();
}
