import { randomBytes } from 'node:crypto';
import { type Client, createClient, isPlaintextRemote } from '@rolecall/api';
import type { Loaded } from '@rolecall/crds';
import { createView, desiredState, makePlan, type Plan, type Surroundings } from '@rolecall/reconcile';
import { chooseWorkspace } from './choose-workspace.ts';
import type { Context } from './command.ts';
import { InvalidDefinitionsError, problemOf } from './definitions.ts';
import { InterruptedError } from './errors.ts';
import type { Interrupts } from './interrupts.ts';
import { resolveSecrets } from './secrets.ts';
import { findWorkspace, type WorkspaceFlags } from './workspace.ts';

export interface PlanFlags extends WorkspaceFlags {
  /** The name of the Workspace, where several are declared. */
  workspace?: string;
  /** Tokens of the rails to override. */
  override?: string[];
  concurrency?: number;
}

/** A plan, and what it takes to run it. Whoever gets it closes the client. */
export interface Prepared {
  plan: Plan;
  client: Client;
  resolveSecret: Surroundings['resolveSecret'];
}

/**
 * Plans. Whatever is wrong with the definitions or the flags is found before the first call; nothing is written.
 *
 * @param loaded all definitions, those of other Workspaces too
 * @throws CliError, and the client's errors when the workspace cannot be read
 */
export async function preparePlan(
  { definitions, references }: Pick<Loaded, 'definitions' | 'references'>,
  flags: PlanFlags,
  context: Context,
  { abandon }: Pick<Interrupts, 'abandon'>,
): Promise<Prepared> {
  const workspace = chooseWorkspace(definitions, flags.workspace);
  const { state, errors } = desiredState(definitions, workspace);
  if (errors.length > 0) throw new InvalidDefinitionsError(errors.map((error) => problemOf(error, 'error')));
  const dataSources = definitions
    .filter((definition) => definition.kind === 'DataSource')
    // The secrets of other workspaces are none of this run's business, and may well not be at hand.
    .filter((definition) => references.workspaceOf(definition) === workspace);
  const resolveSecret = resolveSecrets(dataSources, context.io.env);
  const connection = findWorkspace(flags, context.io.env, workspace);
  if (isPlaintextRemote(connection.url)) warnOfPlaintext(connection.url, context);
  const { concurrency } = flags;
  const client = createClient({
    ...connection,
    signal: abandon,
    ...(concurrency === undefined ? {} : { connections: Math.max(concurrency, readConnections) }),
  });
  try {
    const plan = await makePlan(state, createView(client), {
      workspace: { url: connection.url, ...(workspace === undefined ? {} : { name: workspace.metadata.name }) },
      overrides: flags.override ?? [],
      now: new Date(),
      resolveSecret,
      // Fingerprints can be compared within one plan, and with nothing else.
      salt: randomBytes(16).toString('hex'),
    });
    return { plan, client, resolveSecret };
  } catch (error) {
    await client.close();
    if (abandon.aborted) throw new InterruptedError();
    throw error;
  }
}

/** How many lists are read side by side, as the client does of itself. */
const readConnections = 16;

function warnOfPlaintext(url: string, { output }: Context): void {
  output.warn(
    'plaintext_url',
    `${url} is plain HTTP to another machine: the API key is sent unencrypted, and so are passwords. Use https.`,
  );
}
