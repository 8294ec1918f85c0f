import type { Client } from '@rolecall/api';
import type { DefinitionOf } from '@rolecall/crds';
import { createView, describeMoved, findMoved, type SavedPlan } from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import type { Interrupts } from '../process/interrupts.ts';
import { resolveSavedSecrets } from '../secrets/saved-secrets.ts';
import { addressOf, type Connection, findWorkspace } from '../workspace/connection.ts';
import { findCredentials } from '../workspace/credentials.ts';
import { openClient } from '../workspace/open-client.ts';
import { failIfEnded } from './fail-if-ended.ts';
import { openPlanFile } from './plan-file.ts';
import { managerName, orInterrupted, type PlanFlags, type Prepared } from './prepare-plan.ts';

/**
 * Makes a saved plan ready to be run: as it stands, or not at all. Nothing is called before the file, its secrets and the
 * workspace's address are known to be right; then all that the plan was made from is read again.
 *
 * @throws CliError that says what moved, what is missing or what does not fit; the client's errors; InterruptedError
 */
export async function prepareSavedPlan(
  file: string,
  flags: PlanFlags,
  context: Context,
  { abandon }: Pick<Interrupts, 'abandon'>,
): Promise<Prepared> {
  failIfDecidedBefore(flags);
  const saved = openPlanFile(file, context.io.env);
  const resolveSecret = resolveSavedSecrets(saved.plan, file, context.io.env);
  const connection = connectionOf(saved, file, flags, context);
  const client = openClient(connection, flags.concurrency, abandon, context, {
    manager: managerName(saved.plan.workspace.name),
  });
  const failIfMoved = async (): Promise<void> => {
    failIfEnded(saved.plan, file, 'Make a new plan and have it reviewed.');
    await failIfWorkspaceMoved(saved, file, client, abandon);
  };
  try {
    await failIfMoved();
    return { plan: saved.plan, client, resolveSecret, failIfMoved };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** What shapes a plan shaped this one when it was made, and it was reviewed as it is. */
function failIfDecidedBefore({ override, workspace }: PlanFlags): void {
  const flag = override !== undefined ? '--override' : workspace !== undefined ? '--workspace' : undefined;
  if (flag === undefined) return;
  throw new CliError(
    'ERR_PLAN_FLAG',
    `${flag} cannot be given with a saved plan: give it to plan, and have that reviewed`,
  );
}

function connectionOf(saved: SavedPlan, file: string, flags: PlanFlags, { io }: Context): Connection {
  const workspace = workspaceOf(saved, file);
  const key = findCredentials(flags, io.env, workspace);
  if ('issues' in key) {
    const missing = key.issues.map(({ path, message, remedy }) => `  ${path.slice(1).join('.')} ${message}. ${remedy}`);
    throw new CliError('ERR_NO_CREDENTIALS', `${file}: no API key can be had\n${missing.join('\n')}`);
  }
  const connection = findWorkspace(flags, io.env, workspace, key);
  const planned = saved.plan.workspace.url;
  if (addressOf(connection.url) === addressOf(planned)) return connection;
  throw new CliError(
    'ERR_PLAN_OTHER_WORKSPACE',
    `${file} was made for the workspace at ${planned}, and this is the one at ${connection.url}; nothing was called: plan for each workspace by itself`,
  );
}

/** The Workspace definition as far as the plan has it, which is found where the plan is. */
function workspaceOf({ plan, connection }: SavedPlan, file: string): DefinitionOf<'Workspace'> {
  return {
    kind: 'Workspace',
    metadata: { name: plan.workspace.name ?? 'workspace', labels: {}, annotations: {} },
    spec: { url: plan.workspace.url, rails: plan.rails, ...connection },
    source: { file, document: 0, line: 1 },
  };
}

async function failIfWorkspaceMoved(
  { plan, baseline }: SavedPlan,
  file: string,
  client: Client,
  abandon: AbortSignal,
): Promise<void> {
  const moved = await orInterrupted(findMoved(baseline, createView(client)), abandon);
  if (moved.length === 0) return;
  const lines = describeMoved(moved).map((line) => `  ${line}`);
  throw new CliError(
    'ERR_PLAN_OUTDATED',
    `${file}: the workspace has changed since this plan was made (${plan.createdAt}), so nothing was written\n${lines.join('\n')}\nMake a new plan and have it reviewed. If this one was applied in part, the new one goes on from there.`,
    { moved },
  );
}
