import { type Caller, converge, createView, type Plan, type View } from '@rolecall/reconcile';

type Fields = Record<string, unknown>;

/** A workspace that exists only in a view: it is empty at first, and each plan that is run is taken into the view. */
export interface SimulatedWorkspace {
  readonly view: View;
  readonly run: (plan: Plan) => Promise<void>;
}

export function simulateWorkspace(): SimulatedWorkspace {
  let count = 0;
  const id = (): string => {
    count += 1;
    return `id${count}`;
  };
  const at = '2026-01-01T00:00:00.000Z';
  const owners = ({ ownerPersonId, ownerRoleId }: Fields) => ({
    ownerPerson: typeof ownerPersonId === 'string' ? people.get(ownerPersonId) : null,
    ownerRole: typeof ownerRoleId === 'string' ? roles.get(ownerRoleId) : null,
  });
  const people = new Map<string, Fields>();
  const roles = new Map<string, Fields>();
  const remember = (all: Map<string, Fields>, made: Fields & { id: string }): Fields => {
    all.set(made.id, made);
    return made;
  };
  const answers: Record<string, (body: Fields) => unknown> = {
    createPerson: (body) => remember(people, { id: id(), createdAt: at, isLocked: false, ...body }),
    createRole: (body) => remember(roles, { id: id(), createdAt: at, updatedAt: at, ...body }),
    createDataSource: (body) => ({ id: id(), type: 'postgresql', createdAt: at, updatedAt: at, ...body }),
    createPermission: ({ startsAt, duration }) => ({
      id: String((count += 1)),
      createdAt: at,
      startsAt,
      expiresAt: new Date(Date.parse(String(startsAt)) + Number(duration) * 1000).toISOString(),
    }),
    createSnippet: ({ name, description, text, isLocked, publicAccessLevel, ...owner }) => ({
      id: id(),
      activeVersion: { id: id(), name, description, text },
      ...{ isLocked, publicAccessLevel, createdAt: at, updatedAt: at },
      ...owners(owner),
    }),
    createSnippetVersion: () => ({ id: id() }),
  };
  const client: Caller = {
    call: (operation, request) => {
      const { body = {} } = request as { body?: Fields };
      // What was never made is not there; each answer has the shape of its operation.
      const answer = operation.startsWith('list') ? [] : (answers[operation]?.(body) ?? {});
      return Promise.resolve(answer as never);
    },
  };
  const view = createView(client);
  return {
    view,
    run: async (plan) => {
      const { failed, notRun } = await converge(plan, client, {
        resolveSecret: () => Promise.resolve('secret'),
        concurrency: 1,
        onProgress: ({ step, outcome, answer, ids = new Map<string, string>() }) => {
          if (outcome === 'done') view.take(step, answer, ids);
        },
      });
      if (failed.length + notRun.length > 0) throw new Error(failed[0]?.error.message ?? notRun[0]?.because);
    },
  };
}
