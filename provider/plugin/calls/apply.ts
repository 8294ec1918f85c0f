import { checkConfig } from '../framework/check.ts';
import type { Report } from '../framework/diagnostics.ts';
import type { Applied, Private, Resource, VerbContext } from '../framework/resource.ts';
import { answer, type Gathered, resourceOf, type Session, verbContext } from '../framework/session.ts';
import type { ObjectValue } from '../values/value.ts';
import { readObject, readPrivate, writeIdentity, writePrivate, writeState } from './dynamic.ts';
import type { Handlers } from './handlers.ts';

interface Change {
  readonly prior: ObjectValue | null;
  readonly planned: ObjectValue | null;
  readonly config: ObjectValue | null;
  readonly private: Private;
}

/** Applies a plan. The answer always has the present state, even where the apply failed. */
export function applyCalls<W>(session: Session<W>): Handlers {
  return {
    ApplyResourceChange: async (request) => {
      const what = `apply ${request.typeName}`;
      const applied = await answer(session, what, async (gathered) => {
        const { resource, type } = resourceOf(session, request.typeName);
        session.applying = true;
        // Terraform takes an object whose plan failed unseen for planned.
        if (session.withheld !== undefined) throw session.withheld;
        const config = readObject(type, request.config);
        // What was not known to the plan is known now, before anything is called. The plan has shown the warnings.
        if (config !== null) checkConfig(resource, config, errorsOf(gathered));
        if (gathered.failed) return {};
        const change = {
          prior: readObject(type, request.priorState),
          planned: readObject(type, request.plannedState),
          config,
          private: readPrivate(request.plannedPrivate),
        };
        const { state, private: next } = await applyOne(resource, change, verbContext(session, gathered));
        return {
          newState: writeState(type, state, gathered, what),
          newIdentity: writeIdentity(session, resource, state),
          ...(next && { private: writePrivate(next) }),
        };
      });
      // A verb that failed as a whole changed nothing: what there was, is there.
      return { newState: request.priorState, private: request.plannedPrivate, ...applied };
    },
  };
}

const errorsOf =
  ({ report }: Gathered): Report =>
  (diagnostic) => {
    if (diagnostic.severity === 'error') report(diagnostic);
  };

async function applyOne<W>(resource: Resource<W>, change: Change, context: VerbContext<W>): Promise<Applied> {
  const { prior, planned, config, private: privateState } = change;
  if (planned === null) {
    if (prior !== null) await resource.remove({ state: prior, private: privateState }, context);
    return { state: null };
  }
  const request = { planned, config: config ?? planned, private: privateState };
  return prior === null ? resource.create(request, context) : resource.update({ ...request, prior }, context);
}
