import { randomUUID } from 'node:crypto';
import {
  type AnswerOf,
  type CallOptions,
  type Client,
  type ClockSkew,
  type Managed,
  NetworkError,
  type OperationId,
  type RequestOf,
} from '@rolecall/api';
import type { Rails } from '@rolecall/crds';
import {
  type Caller,
  converge,
  createView,
  managerOf,
  mayFreeName,
  orderSteps,
  type Step,
  type StepOperation,
  type View,
} from '@rolecall/reconcile';
import { type DiagnosticError, refusal } from '../plugin/framework/diagnostics.ts';
import { explain, problemOf, WorkspaceError } from './failures.ts';
import { Ledger } from './ledger.ts';
import { NameQueue } from './name-queue.ts';
import { Removals } from './removals.ts';

export interface WorkspaceOptions {
  /** Undefined when the configuration is not known yet. */
  readonly client: Client | undefined;
  readonly url: string;
  /** The service's clock, as the client hears of it. */
  readonly clock: ClockSkew;
  readonly rails: Rails;
  readonly adopts: boolean;
  /** The name that each write carries: `terraform/default`. */
  readonly manager: string;
  /** True if the configuration gives that name itself, so that no other one has it. */
  readonly isNamed: boolean;
}

/** Answers of the service to the steps of a run, by operation; of several steps with one operation, the last answer. */
export type Answers = { readonly [Id in StepOperation]?: AnswerOf<Id> };

/** One workspace, for as long as one Terraform command runs: all that the resources work with. */
export class Workspace {
  /**
   * The workspace as it was when it was first read. Terraform plans again while it applies: if each write made the
   * next plan read its collection again, 1,000 objects would cost 1,000 lists.
   */
  before: View;
  /** The states of the objects, which each resource enters for the others. */
  readonly ledger = new Ledger();
  /** The names that one resource gives up and another one takes. */
  readonly names = new NameQueue();
  /** The name that each write of this command carries: `terraform/default`. */
  readonly manager: string;
  /** True if no other configuration has that name. */
  readonly isNamed: boolean;
  /** True if existing objects are adopted where a resource does not say. */
  readonly adopts: boolean;
  /** False when the configuration is not known yet: then nothing can be looked up. */
  readonly isKnown: boolean;
  removals: Removals;
  readonly #rails: Rails;
  readonly #client: Client | undefined;
  /** The address, as it was configured. */
  readonly url: string;
  readonly #clock: ClockSkew;
  #view: View;
  #hasWritten = false;
  #isTold = false;
  /** By kind and id; read once a command. */
  #managed: Promise<ReadonlyMap<string, Managed>> | undefined;
  /** A reading of the parts that no resource writes to while it is planned; made once a command. */
  #whole: View | undefined;
  /** A failure that every further call would repeat. */
  #fault: WorkspaceError | undefined;

  constructor({ client, url, clock, rails, adopts, manager, isNamed }: WorkspaceOptions) {
    this.#client = client;
    this.url = url;
    this.#clock = clock;
    this.manager = manager;
    this.isNamed = isNamed;
    this.#view = createView(this);
    this.before = remember(() => this.#view);
    this.adopts = adopts;
    this.isKnown = client !== undefined;
    this.#rails = rails;
    this.removals = new Removals(rails, this);
  }

  /**
   * Forgets what was read and what was planned, as between two commands.
   *
   * @param call what Terraform asks for next
   */
  beginAgain(call: 'plan' | 'read'): void {
    this.ledger.beginAgain(call);
    this.#isTold = false;
    this.freshView();
    this.before = remember(() => this.#view);
    this.#managed = undefined;
    this.#whole = undefined;
    // What one plan removes is counted as a whole.
    if (this.#hasWritten) this.removals = new Removals(this.#rails, this);
    this.#hasWritten = false;
  }

  /** The current workspace: each collection is read once, however many resources ask, until it is written. */
  view(): View {
    return this.#view;
  }

  /** The current workspace, read anew: a provider under another alias may have written to it meanwhile, in a process of its own. */
  freshView(): View {
    this.#view = createView(this);
    return this.#view;
  }

  /** All of the workspace, in one call where the service has one for it. */
  wholeView(): View {
    return createView(this, { isWhole: true });
  }

  /** True if the service begins and ends memberships at their times by itself. */
  keepsTimes(): Promise<boolean> {
    return this.#wholeOnce().keepsTimes();
  }

  adminRole(): Promise<string | undefined> {
    return this.#wholeOnce().adminRole();
  }

  /** Counts the people in roles, each in each of theirs, at the first look of this command. */
  async memberships(): Promise<number> {
    const view = this.#wholeOnce();
    const { all } = await view.roles();
    const members = await Promise.all(all.map(({ id }) => view.rolePeople(id)));
    return members.reduce((sum, { all: people }) => sum + people.length, 0);
  }

  #wholeOnce(): View {
    this.#whole ??= this.wholeView();
    return this.#whole;
  }

  /** The identity of the store that answered last; undefined where the service does not tell. */
  readonly store = (): string | undefined => this.#client?.store();

  /** True if the service edits people, roles and permissions in place, or may do so: it says that with each answer. */
  async edits(): Promise<boolean> {
    if (!this.isKnown) return true;
    if (this.store() === undefined) await this.before.people();
    return this.before.edits();
  }

  /** Tells what is about all objects of the state with the first of them. */
  tellOnce(tell: () => void): void {
    if (!this.#isTold) tell();
    this.#isTold = true;
  }

  /** The time by the service's clock, which begins and ends access. */
  now(): Date {
    return new Date(Date.now() + this.#clock.ms);
  }

  /** The last write of an object, by kind and id as the service names them; undefined where the service does not tell. */
  async lastWrite(kind: string, id: string): Promise<Managed | undefined> {
    this.#managed ??= managerOf(this.manager, this)
      .list()
      .then((all) => new Map(all?.map((write) => [`${write.kind} ${write.id}`, write])));
    return (await this.#managed).get(`${kind} ${id}`);
  }

  /**
   * Runs steps in the engine's order; what they changed is read again by the next reader.
   *
   * @param password what steps with a connection URI send with it
   * @throws DiagnosticError for the first step that failed, once no other is in flight; a WorkspaceError where the
   *   provider's configuration is at fault
   */
  async run(steps: readonly Step[], password = ''): Promise<Answers> {
    const client = this.#usable();
    this.#hasWritten = true;
    const answers: Partial<Record<StepOperation, unknown>> = {};
    // Not the engine's own Idempotency-Keys, which make an object once a day: Terraform may make it again at once. A new key for
    // each call lets the client repeat a creation whose answer was lost, and stands for no other one.
    const caller: Caller = {
      call: (operation, request, options) =>
        client.call(
          operation,
          request,
          options?.idempotencyKey === undefined ? options : { ...options, idempotencyKey: randomUUID() },
        ),
    };
    const plan = { ...orderSteps(steps, this.#view, this.now()), refusals: [], exact: [] };
    const {
      failed: [first],
    } = await converge(plan, caller, {
      resolveSecret: () => Promise.resolve(password),
      onProgress: ({ step, outcome, answer, ids = new Map() }) => {
        if (outcome !== 'done') return;
        this.#view.forget(step, answer, ids);
        answers[step.operation] = answer;
        this.names.tell(mayFreeName(step));
      },
    });
    // The client has checked each answer against the schema of its operation.
    if (first === undefined) return answers as Answers;
    // The call may have been done all the same, so everything is read again.
    this.freshView();
    throw this.#explain(first.error, first.step.operation);
  }

  /**
   * Makes one call: a read, or a write of something that no view has.
   *
   * @throws what `run` throws
   */
  readonly call = async <Id extends OperationId>(
    operation: Id,
    request: RequestOf<Id>,
    options: CallOptions<AnswerOf<Id>> = {},
  ): Promise<AnswerOf<Id>> => {
    const client = this.#usable();
    try {
      return await client.call(operation, request, options);
    } catch (error) {
      throw this.#explain(error, operation);
    }
  };

  #usable(): Client {
    if (this.#client === undefined) throw notKnownYet();
    // Without this, each of 5,000 objects would wait for its own attempts to reach a workspace that is not there.
    if (this.#fault !== undefined) throw this.#fault;
    return this.#client;
  }

  #explain(error: unknown, operation: OperationId): unknown {
    const explained = explain(error, this.url);
    if (explained instanceof WorkspaceError && isLasting(explained, operation)) this.#fault = explained;
    return explained;
  }
}

/**
 * A write that failed once says nothing about the next one, unless nothing listened at any of its attempts. A key that may not
 * do one thing may do others: a refresh that cannot compare a connection goes on.
 */
function isLasting(error: WorkspaceError, operation: OperationId): boolean {
  if (problemOf(error)?.kind === 'scope') return false;
  const { diagnostic, cause } = error;
  if (cause instanceof NetworkError && cause.outcome === 'not-sent' && cause.attempts > 1) return true;
  return /^(list|get)/.test(operation) || diagnostic.summary === 'The workspace refuses the API key';
}

function notKnownYet(): DiagnosticError {
  return refusal(
    'The provider is not configured yet',
    "The provider's url, key_id or key_secret is known only after the apply of something else. Apply that first (terraform apply -target=…), or give the provider values that are known.",
  );
}

/** A view that keeps each reading, whatever is written. */
function remember(current: () => View): View {
  const kept = new Map<string, Promise<unknown>>();
  const once = <T>(name: string, read: (view: View) => Promise<T>): Promise<T> => {
    const keptReading = kept.get(name);
    // Each name is used with one type only, below.
    if (keptReading !== undefined) return keptReading as Promise<T>;
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
