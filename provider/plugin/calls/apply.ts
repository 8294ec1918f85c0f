import { checkConfig } from '../framework/check.ts';
import { type Report, toDiagnosticMessage } from '../framework/diagnostics.ts';
import type { Applied, Private, Resource, VerbContext } from '../framework/resource.ts';
import { attempt, type Gathered, gatherReports, type Session, verbContext } from '../framework/session.ts';
import type { Type } from '../values/type.ts';
import type { ObjectValue } from '../values/value.ts';
import { readObject, readPrivate, unknownType, writeIdentity, writePrivate, writeState } from './dynamic.ts';
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
      const { typeName, priorState, plannedPrivate } = request;
      const gathered = gatherReports();
      const resource = session.resources.get(typeName);
      const type = session.types.get(typeName);
      if (resource === undefined || type === undefined) {
        gathered.report(unknownType(typeName));
        return {
          newState: priorState,
          private: plannedPrivate,
          diagnostics: gathered.all.map(toDiagnosticMessage),
        };
      }
      session.applying = true;
      const applied = await attempt(session, gathered, `apply ${typeName}`, () => {
        // Terraform takes an object whose plan failed unseen for planned.
        if (session.withheld !== undefined) throw session.withheld;
        const config = readObject(type, request.config);
        // What was not known to the plan is known now, before anything is called. The plan has shown the warnings.
        if (config !== null) checkConfig(resource, config, errorsOf(gathered));
        if (gathered.failed) return undefined;
        return applyOne(
          resource,
          {
            prior: readObject(type, request.priorState),
            planned: readObject(type, request.plannedState),
            config,
            private: readPrivate(plannedPrivate),
          },
          verbContext(session, gathered),
        );
      });
      return respond(session, resource, type, applied, request, gathered);
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

function respond<W>(
  session: Session<W>,
  resource: Resource<W>,
  type: Type,
  applied: Applied | undefined,
  request: {
    readonly priorState?: { msgpack: Uint8Array; json: Uint8Array } | undefined;
    readonly plannedPrivate: Uint8Array;
  },
  gathered: Gathered,
) {
  // A verb that failed as a whole changed nothing: what there was, is there.
  if (applied === undefined) {
    return {
      newState: request.priorState,
      private: request.plannedPrivate,
      diagnostics: gathered.all.map(toDiagnosticMessage),
    };
  }
  const newState = writeState(type, applied.state, gathered, `apply ${resource.type}`);
  return {
    newState,
    newIdentity: writeIdentity(session, resource, applied.state),
    private: applied.private === undefined ? request.plannedPrivate : writePrivate(applied.private),
    diagnostics: gathered.all.map(toDiagnosticMessage),
  };
}
