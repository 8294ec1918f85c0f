import type { Client } from '@rolecall/api';
import type { DefinitionOf } from '@rolecall/crds';
import { basisOf, createView, describeMoved, findMoved, type SavedPlan } from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { type Interrupts, orInterrupted } from '../process/interrupts.ts';
import { resolveSavedSecrets } from '../secrets/saved-secrets.ts';
import { addressOf, type Connection, findWorkspace } from '../workspace/connection.ts';
import { findCredentials } from '../workspace/credentials.ts';
import { openClient } from '../workspace/open-client.ts';
import { failIfEnded } from './fail-if-ended.ts';
import { openPlanFile } from './plan-file.ts';
import { disposing, type Hold, managerName, type PlanFlags, type Prepared } from './prepare-plan.ts';

/**
 * Prepares a saved plan to run unchanged, or refuses it. The file, its secrets and the address of the workspace are checked
 * before the first request; then everything that the plan was made from is read again.
 *
 * @throws CliError that names what changed, is missing or does not match; the client's errors; InterruptedError
 */
export async function prepareSavedPlan(
  file: string,
  flags: PlanFlags,
  context: Context,
  { abandon }: Pick<Interrupts, 'abandon'>,
  hold?: Hold,
): Promise<Prepared> {
  failIfDecidedBefore(flags);
  const saved = openPlanFile(file, context.io.env);
  const resolveSecret = resolveSavedSecrets(saved.plan, file, context.io.env);
  const connection = connectionOf(saved, file, flags, context);
  const { declarations, workspace } = saved.plan;
  if (declarations?.unfit !== undefined)
    throw new CliError('ERR_PLAN_UNFIT', `${file} cannot run: ${declarations.unfit}`);
  const manager = declarations?.manager ?? managerName(workspace.name);
  await using held = new AsyncDisposableStack();
  const client = held.use(openClient(connection, flags.concurrency, abandon, context, { manager }));
  const failIfOver = (): void => {
    failIfEnded(saved.plan, file, 'Make a new plan and have it reviewed.');
  };
  const failIfMoved = async (): Promise<void> => {
    failIfOver();
    await failIfWorkspaceMoved(saved, file, client, abandon);
  };
  failIfOver();
  const lease = held.use(await hold?.(client));
  await failIfMoved();
  return { plan: saved.plan, client, lease, resolveSecret, failIfMoved, ...disposing(held.move()) };
}

/** Options that shape a plan applied when this one was made; changing it now would run what was not reviewed. */
function failIfDecidedBefore({ override, workspace }: PlanFlags): void {
  const flag = override !== undefined ? '--override' : workspace !== undefined ? '--workspace' : undefined;
  if (flag === undefined) return;
  throw new CliError(
    'ERR_PLAN_FLAG',
    `${flag} cannot be given with a saved plan: give it to "rolecall plan", and have the new plan reviewed`,
  );
}

function connectionOf(saved: SavedPlan, file: string, flags: PlanFlags, { io }: Context): Connection {
  const workspace = workspaceOf(saved, file);
  const credentials = findCredentials(flags, io.env, workspace);
  if ('issues' in credentials) {
    const missing = credentials.issues.map(
      ({ path, message, remedy }) => `  ${path.slice(1).join('.')} ${message}. ${remedy}`,
    );
    throw new CliError('ERR_NO_CREDENTIALS', `${file}: no API key is available\n${missing.join('\n')}`);
  }
  const connection = findWorkspace(flags, io.env, workspace, credentials);
  const planned = saved.plan.workspace.url;
  if (addressOf(connection.url) === addressOf(planned)) return connection;
  throw new CliError(
    'ERR_PLAN_OTHER_WORKSPACE',
    `${file} was made for the workspace at ${planned}, and this is ${connection.url}. No request was sent. Make a plan for each workspace`,
  );
}

/** The Workspace definition as the plan keeps it; its source is the file of the plan. */
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
  const view = createView(client, { isWhole: true });
  const { declarations } = plan;
  view.expect({ snippets: 'snippets' in baseline, passwords: new Map(), declaredBy: declarations?.manager });
  const moved = await orInterrupted(findMoved(baseline, view), abandon);
  const { store, url } = plan.workspace;
  if (store !== undefined && store !== client.store()) {
    throw new CliError(
      'ERR_PLAN_OTHER_WORKSPACE',
      `${file} was made for the store ${store}, and the service at ${url} has ${client.store() ?? 'one that it does not name'} by now. Nothing was written. Make a new plan and have it reviewed`,
    );
  }
  const isRemembered = declarations === undefined || declarations.basis === basisOf(await view.declared());
  if (moved.length === 0 && isRemembered) return;
  const lines = describeMoved(moved).map((line) => `  ${line}`);
  if (!isRemembered) lines.push(`  what the service remembers of ${declarations.manager} has changed`);
  throw new CliError(
    'ERR_PLAN_OUTDATED',
    `${file}: the workspace has changed since this plan was made (${plan.createdAt}), so nothing was written\n${lines.join('\n')}\nMake a new plan and have it reviewed. If this one was applied in part, the new one continues from there.`,
    { moved },
  );
}
