import { DiagnosticError, type Report, refusal, warning } from '../../plugin/framework/diagnostics.ts';
import { type PlanRequest, type Private, stateKey, type VerbContext } from '../../plugin/framework/resource.ts';
import type { ObjectValue, Path } from '../../plugin/values/value.ts';
import type { ObjectKey, Subject } from '../../workspace/meetings.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { textOf } from './values.ts';

/** An object that exists already and is what a configuration describes. */
export interface Found extends Subject {
  /** The id to import it by. */
  readonly importId: string;
  /** Changes of the apply, each such as `it is locked, and will be unlocked`. Default: none. */
  readonly changes?: readonly string[];
}

/**
 * True if an object that exists already may be taken over: by the resource's attribute `adopt`, else the provider's. An object that
 * this configuration wrote last, under a name of its own, is its own: a previous run was interrupted after creating it.
 */
export async function mayAdopt(object: ObjectKey, planned: ObjectValue, workspace: Workspace): Promise<boolean> {
  if ((planned['adopt'] ?? workspace.adopts) === true) return true;
  return workspace.isNamed && (await writerOf(object, workspace)) === workspace.manager;
}

async function writerOf({ type, id }: ObjectKey, workspace: Workspace): Promise<string | undefined> {
  return (await workspace.lastWrite(type.replace('rolecall_', ''), id))?.manager;
}

/**
 * Takes an object over, or says why not.
 *
 * @throws DiagnosticError when it may not be taken over
 */
export async function adopt(
  existing: Found,
  planned: ObjectValue,
  { workspace, report }: Pick<VerbContext<Workspace>, 'workspace' | 'report'>,
): Promise<void> {
  const { what, id, path, changes = [] } = existing;
  const { isNamed, manager } = workspace;
  await workspace.ledger.enter(existing, 'arriving');
  if (!(await mayAdopt(existing, planned, workspace))) throw alreadyThere(existing);
  const isOwn = (await writerOf(existing, workspace)) === manager;
  const writer = isNamed
    ? ` A previous run of this configuration (${manager}) was interrupted after creating it.`
    : ` ${manager} wrote it last: a run of this configuration that was killed, or another configuration that has no name of its own either. Each would delete it for the other, so give each one a name by the provider's manager.`;
  report(
    warning(
      `Adopts ${what}`,
      `The workspace has ${what} already (id ${id}). ${takenOver(changes)} From now on Terraform manages it, and would delete it too.${isOwn ? writer : ''}`,
      path,
    ),
  );
}

/**
 * Takes an object over for a plan. Terraform may plan a resource at its new address before it shows the old one: then a refusal
 * begins with that, as its other remedies would be wrong.
 */
export async function orRenamed(object: ObjectKey, takeOver: () => Promise<void>, workspace: Workspace): Promise<void> {
  try {
    await takeOver();
  } catch (error) {
    const isSeen = workspace.ledger.has(object, 'leaving', 'kept');
    if (!(error instanceof DiagnosticError) || error.isShared || isSeen) throw error;
    if ((await writerOf(object, workspace)) !== workspace.manager) throw error;
    const { summary, detail, path } = error.diagnostic;
    const renamed = 'If the resource was renamed, say so with a moved block, and that is all. If not:';
    throw refusal(summary, `${renamed} ${detail}`, path, { cause: error });
  }
}

/** With a block to paste: Terraform breaks no line that begins with white space. */
function alreadyThere({ type, what, id, path, importId }: Found): DiagnosticError {
  const block = `  import {\n    to = ${type}.NAME\n    id = ${JSON.stringify(importId)}\n  }`;
  return refusal(
    `Already there: ${what}`,
    `The workspace has ${what} already (id ${id}), and adopt = false says that it is not to be taken over. If it is this resource's own, which an apply that was killed left, import it, with the address above in place of ${type}.NAME:\n\n${block}\n\nIf it is not, set adopt = true, or correct the configuration.`,
    path,
  );
}

function takenOver(changes: readonly string[]): string {
  if (changes.length === 0) return 'It is taken over as it is.';
  return `It is taken over and changed to what is declared: ${changes.join('; ')}.`;
}

/**
 * True if a resource that is to be created finds what Terraform manages already: its own object, which is tainted and
 * goes before the new one comes, or that of another address. Neither is to be taken over.
 *
 * @throws DiagnosticError when the same plan gives the object up at another address
 */
export async function isManaged(subject: Subject, { stored, workspace }: VerbContext<Workspace>): Promise<boolean> {
  if (!stored.has(stateKey(subject.type, subject.id))) return false;
  await workspace.ledger.enter(subject, 'arriving');
  return true;
}

/**
 * True if a unique name stays with the object that has it, as this configuration does not manage that object. One in its
 * state may give it up in the same plan, and Terraform may not have planned that yet.
 */
export async function isOthers(object: ObjectKey, { stored, workspace }: VerbContext<Workspace>): Promise<boolean> {
  if (workspace.ledger.has(object, 'removed') || stored.has(stateKey(object.type, object.id))) return false;
  return (await writerOf(object, workspace)) !== workspace.manager;
}

/** Something unique that another object has: `The alias billing`, `data source Billing`. */
export function isTaken(what: string, holder: string, path: string, cause?: unknown): DiagnosticError {
  return refusal(
    `${what} is taken`,
    `The ${holder} of the workspace has it. Give one of the two another one, or delete that one first. If this configuration deletes or changes the other one, apply once more; two that swap need at least -parallelism=2.`,
    [path],
    { cause },
  );
}

/** Two objects that could each be the declared one: never a guess. */
export function ambiguous(what: string, candidates: readonly { id: string }[], path: Path): DiagnosticError {
  return refusal(
    `Several are ${what}`,
    `The workspace has ${candidates.length} objects that are each ${what}: ${candidates.map(({ id }) => `id ${id}`).join(', ')}. Import one of them, or delete or rename the others.`,
    path,
  );
}

/** Makes the note that the plan of a create leaves for its apply. */
export const adopts = (id: string): Private => ({ adopts: id });

/**
 * True if a plan is to leave an object in place though its resource goes, as another resource of the same command took
 * it over: its deletion would take away what was just adopted.
 */
export function isTakenOver({ type, id, what }: Subject, { ledger }: Workspace, report: Report): boolean {
  if (!ledger.has({ type, id }, 'adopted')) return false;
  report(
    warning(
      `Keeps ${what}`,
      `Another resource of this configuration, or with create_before_destroy its own replacement, took ${what} over (id ${id}), so it is not deleted.`,
    ),
  );
  return true;
}

/**
 * Enters that a resource is to have the object of a natural key, found or made. Terraform plans each resource by itself, and
 * what one of them deletes, the other one loses.
 *
 * @param subject whose id is the natural key
 * @param request of the resource's plan; one that is to be replaced is planned twice, the second time as a create that
 *   knows its own id
 * @throws DiagnosticError when another resource of the same plan is to have it too
 */
export async function hold(
  subject: Subject,
  { prior, private: before }: Pick<PlanRequest, 'prior' | 'private'>,
  { ledger }: Workspace,
  state: 'held' | 'addressed' = 'held',
): Promise<void> {
  const replaced = prior === null ? before['id'] : undefined;
  const ownId = prior === null ? replaced : textOf(prior, 'id');
  await ledger.enter(subject, state, ownId ?? '', replaced);
}
