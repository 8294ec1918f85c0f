import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createClient } from '@rolecall/api';
import { type Definition, loadDefinitions } from '@rolecall/crds';
import { desiredState } from '@rolecall/reconcile';
import { createKey, startService } from '@rolecall/server';
import type { CommonOptions, Context } from '../../command.ts';
import { InterruptedError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { examplesFolder } from '../../files/examples-folder.ts';
import { createOutput } from '../../output/output.ts';
import { shellWord } from '../../output/words.ts';
import type { Io } from '../../process/io.ts';
import { secretVariable } from '../../secrets/secret-variable.ts';
import { playStory } from './story.ts';
import { openWorkspace } from './workspace.ts';

export interface DemoOptions extends CommonOptions {
  open?: true;
}

/**
 * Demonstrates Rolecall on the example, with a real service in a temporary folder and on a free port. Every step
 * verifies what it claims. With `--open`, it goes on until it is interrupted, so that the page can be used.
 *
 * @returns 0 only when every claim was verified
 * @throws CliError at the first claim that fails
 */
export async function runDemo({ io }: Context, { open }: DemoOptions): Promise<ExitCode> {
  const interrupted = new AbortController();
  const onSignal = (): void => {
    interrupted.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) io.signals.on(signal, onSignal);
  try {
    await perform(io, interrupted.signal, open === true);
    return exitCodes.ok;
  } catch (error) {
    throw interrupted.signal.aborted ? new InterruptedError('interrupted; the temporary folder is removed') : error;
  } finally {
    for (const signal of signals) io.signals.off(signal, onSignal);
  }
}

async function perform(io: Io, interrupted: AbortSignal, opens: boolean): Promise<void> {
  const startedAt = performance.now();
  const examples = findExample();
  using folder = createTemporaryFolder();
  const begin = announcer(io, interrupted);
  begin('Start the workspace service on its embedded store');
  // An empty environment, so that the key of another store is not used.
  // Not in the folder of the service: no data source can be there.
  using databases = createTemporaryFolder();
  const sqliteFolders = ['/srv/acme', databases.path];
  await using held = new AsyncDisposableStack();
  const service = await startService({ dataDir: folder.path, environment: {}, sqliteFolders });
  held.defer(() => service.close());
  const key = await createKey({ dataDir: folder.path, environment: {}, scope: 'admin' });
  createOutput(io, 'text').say(`It listens at ${service.url}, in ${folder.path}, and has the API key ${key.id}.`);
  const { definitions } = await loadDefinitions([examples]);
  const passwords = harmlessPasswords(definitions);
  const variables = { ROLECALL_URL: service.url, ROLECALL_KEY_ID: key.id, ROLECALL_KEY_SECRET: key.secret };
  const env = { ...io.env, ...passwords, ...variables };
  const demoIo = { ...io, env };
  const context = { io: demoIo, output: createOutput(demoIo, 'text') };
  const workspace = definitions.find((definition) => definition.kind === 'Workspace');
  const { objects } = desiredState(definitions, workspace).state;
  await using client = createClient({ url: service.url, keyId: key.id, keySecret: key.secret, signal: interrupted });
  await playStory({ context, examples, client, objects, begin });
  if (opens) {
    begin('The page');
    const { person, link } = await openWorkspace({ client, url: service.url, folder: databases.path });
    await using _link = link;
    context.output.say(describePage(person, link.url));
    if (!interrupted.aborted) await once(interrupted, 'abort');
    return;
  }
  begin('What to try next');
  context.output.say(describeNextSteps(examples, passwords, performance.now() - startedAt));
}

function announcer(io: Io, interrupted: AbortSignal): (title: string, command?: string) => void {
  const { palette, say } = createOutput(io, 'text');
  let step = 0;
  return (title, command) => {
    interrupted.throwIfAborted();
    step += 1;
    say(`${step === 1 ? '' : '\n'}${palette.strong(`== ${step}. ${title}`)}\n`);
    if (command !== undefined) say(`${palette.dim(`$ ${command}`)}\n`);
  };
}

/** Makes a folder that is gone with the process, however that ends short of being killed. */
function createTemporaryFolder(): { readonly path: string; [Symbol.dispose]: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'rolecall-demo-'));
  const remove = (): void => {
    rmSync(path, { recursive: true, force: true });
  };
  // A second Ctrl-C exits without unwinding.
  process.once('exit', remove);
  return {
    path,
    [Symbol.dispose]: () => {
      process.off('exit', remove);
      remove();
    },
  };
}

/** The folder of the example, relative to the working directory as far as that is shorter. */
function findExample(): string {
  const folder = examplesFolder('acme');
  const shown = relative(process.cwd(), folder);
  return shown.length < folder.length && shown !== '' ? shown : folder;
}

/** Values for the variables from which the example takes its passwords. Nothing connects to its databases. */
function harmlessPasswords(definitions: readonly Definition[]): Record<string, string> {
  const names = definitions.flatMap((definition) => {
    const from = definition.kind === 'DataSource' ? definition.spec.passwordFrom : undefined;
    if (from?.env !== undefined) return [from.env];
    return from?.secretKeyRef === undefined ? [] : [secretVariable(from.secretKeyRef.name, from.secretKeyRef.key)];
  });
  return Object.fromEntries(names.map((name) => [name, 'not-a-real-password']));
}

/** Commands to copy, and what came before in one sentence. */
function describeNextSteps(examples: string, passwords: Readonly<Record<string, string>>, elapsedMs: number): string {
  const variables = Object.entries(passwords).map(([name, value]) => `${name}=${shellWord(value)}`);
  return `Everything above was real, and is gone again. The same by hand, in the folder of the repository:

  alias rolecall='npm run --silent rolecall --'
  mkdir -m 700 ~/rolecall-data
  rolecall keys create --data ~/rolecall-data --scope admin --format json > ~/rolecall-data/key.json
  rolecall serve --data ~/rolecall-data --sqlite-folder /srv  # leave it running, and go on in a second terminal

  alias rolecall='npm run --silent rolecall --'
  export ROLECALL_URL=http://127.0.0.1:8480
  export ${variables.join(' ')}
  rolecall apply ${shellWord(examples)} --key-secret-file ~/rolecall-data/key.json

Then change something in ${examples}, for example lock a person, and look at it:

  rolecall plan ${shellWord(examples)} --key-secret-file ~/rolecall-data/key.json

The page that people work in, with a database to query, signed in as a person of the example:

  npm run demo -- --open

Your own definitions: "rolecall validate FOLDER" explains what is wrong with them, docs/definitions.md what they can say.

The demonstration did all that it claims, in ${(elapsedMs / 1000).toFixed(1)} s.`;
}

/** Tells where the page is, and how to leave it. */
function describePage(person: string, link: string): string {
  return `Open this address in a browser on this machine. It signs you in as ${person}, once:

  ${link}

The data source Shop is a SQLite database with 20,000 orders. Ctrl-C ends the demonstration and removes everything.`;
}
