import type { AnswerOf, Client, OperationId, RequestOf } from '@rolecall/api';
import type { Rails } from '@rolecall/crds';
import { createView, managerOf, type View } from '@rolecall/reconcile';
import { DiagnosticError, failure } from '../framework/diagnostics.ts';
import { explain, problemOf, WorkspaceError } from './failures.ts';
import { createRemovals, type Removals } from './removals.ts';
import { collectionsOf } from './written.ts';

/** What the resources work with: one workspace, for as long as one command of Terraform's. */
export interface Workspace {
  /**
   * Calls the service; what it writes is read anew by whoever asks next.
   *
   * @throws DiagnosticError, as a WorkspaceError where the provider's configuration is at fault
   */
  call: <Id extends OperationId>(operation: Id, request: RequestOf<Id>) => Promise<AnswerOf<Id>>;
  /** The workspace as it is now: each collection is read once, however many ask, until it is written. */
  view: () => View;
  /**
   * The workspace as it was when it was first asked about. Terraform plans again as it applies: if each write made the
   * next plan read its collection again, 1,000 objects would cost 1,000 lists.
   */
  before: View;
  /** Objects that this command removed: `before` still shows them. */
  removed: Set<string>;
  /** People, roles and data sources that this command made: `before` does not show them, and nobody was in these roles. */
  made: Set<string>;
  /** Objects that a resource of this command took over: nothing else may remove them. */
  adopted: Set<string>;
  /** Objects that this plan deletes, by id, and those that it takes over: none may be both. */
  leaving: Set<string>;
  arriving: Set<string>;
  /** Objects that this plan leaves with the resource that has them. */
  kept: Set<string>;
  /** Objects whose replacement this plan has looked at already. */
  replaced: Set<string>;
  /** Objects whose create failed half way, so that Terraform holds them for tainted. */
  unfinished: Set<string>;
  /** Natural keys that the resources of this plan are to have, each with the id that its resource had before, if any. */
  holders: Map<string, string>;
  /** Who manages all members of a role, by role and kind of members: two would undo each other's work for ever. */
  claims: Map<string, string>;
  /** Whether objects that exist are taken over, where a resource does not say. */
  adopts: boolean;
  /** False when the configuration is not known yet: then nothing can be looked up. */
  isKnown: boolean;
  removals: Removals;
  /** Who last wrote an object, by kind and id as the service names them; read once, and empty where it does not keep that. */
  managers: () => Promise<ReadonlyMap<string, string>>;
  now: () => Date;
}

export interface WorkspaceOptions {
  /** Undefined when the configuration is not known yet. */
  readonly client: Client | undefined;
  readonly url: string;
  readonly rails: Rails;
  readonly adopts: boolean;
  /** Who writes, as the client says it. */
  readonly manager: string;
}

export function openWorkspace({ client, url, rails, adopts, manager }: WorkspaceOptions): Workspace {
  let fault: WorkspaceError | undefined;
  const call = async <Id extends OperationId>(operation: Id, request: RequestOf<Id>): Promise<AnswerOf<Id>> => {
    if (client === undefined) throw notKnownYet();
    // Without this, each of 5,000 objects would wait for its own attempts to reach a workspace that is not there.
    if (fault !== undefined) throw fault;
    try {
      return await client.call(operation, request);
    } catch (error) {
      const explained = explain(error, url);
      if (explained instanceof WorkspaceError && isLasting(explained, operation)) fault = explained;
      throw explained;
    }
  };
  let view = createView({ call });
  const before = remember(() => view);
  let listed: Promise<ReadonlyMap<string, string>> | undefined;
  const managers = async (): Promise<ReadonlyMap<string, string>> => {
    listed ??= managerOf(manager, { call })
      .list()
      .then((all) => new Map(all?.map((one) => [`${one.kind} ${one.id}`, one.manager])));
    return listed;
  };
  return {
    call: async (operation, request) => {
      const written = collectionsOf(operation, request);
      try {
        return await call(operation, request);
      } finally {
        // Also when it failed: it may have been done all the same.
        if (written === 'all') view = createView({ call });
        else for (const name of written) view.drop(name);
      }
    },
    view: () => view,
    before,
    removed: new Set(),
    made: new Set(),
    adopted: new Set(),
    leaving: new Set(),
    arriving: new Set(),
    kept: new Set(),
    replaced: new Set(),
    unfinished: new Set(),
    holders: new Map(),
    claims: new Map(),
    adopts,
    isKnown: client !== undefined,
    removals: createRemovals(rails, before, manager, managers),
    managers,
    now: () => new Date(),
  };
}

/**
 * A write that fails because the workspace is away for a moment says nothing about the next one, and a key that may not do one
 * thing may do others: a refresh that cannot compare a connection goes on.
 */
function isLasting(error: WorkspaceError, operation: OperationId): boolean {
  if (problemOf(error)?.kind === 'scope') return false;
  const { diagnostic } = error;
  return /^(list|get)/.test(operation) || diagnostic.summary === 'The workspace refuses the API key';
}

function notKnownYet(): DiagnosticError {
  return new DiagnosticError(
    failure(
      'The provider is not configured yet',
      "The provider's url, key_id or key_secret is known only after the apply of something else. Apply that first (terraform apply -target=…), or give the provider values that are known.",
    ),
  );
}

/** A view of which each reading is kept, whatever is written. */
function remember(current: () => View): View {
  const kept = new Map<string, Promise<unknown>>();
  const once = <T>(name: string, read: (view: View) => Promise<T>): Promise<T> => {
    const known = kept.get(name);
    // Each name is used with one type only, below.
    if (known !== undefined) return known as Promise<T>;
    const reading = read(current());
    kept.set(name, reading);
    reading.catch(() => kept.delete(name));
    return reading;
  };
  return {
    ...current(),
    people: () => once('people', (view) => view.people()),
    roles: () => once('roles', (view) => view.roles()),
    dataSources: () => once('dataSources', (view) => view.dataSources()),
    permissions: () => once('permissions', (view) => view.permissions()),
    snippets: () => once('snippets', (view) => view.snippets()),
    rolePeople: (role) => once(`rolePeople ${role}`, (view) => view.rolePeople(role)),
    roleDataSources: (role) => once(`roleDataSources ${role}`, (view) => view.roleDataSources(role)),
    personRoles: (person) => once(`personRoles ${person}`, (view) => view.personRoles(person)),
  };
}
