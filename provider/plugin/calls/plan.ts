import { toDiagnosticMessage } from '../framework/diagnostics.ts';
import { planValues } from '../framework/plan-values.ts';
import type { Planned, Resource } from '../framework/resource.ts';
import { attempt, gatherReports, mistake, resourceOf, type Session, verbContext } from '../framework/session.ts';
import type { Type } from '../values/type.ts';
import { readObject, readPrivate, writeIdentity, writeObject, writePrivate } from './dynamic.ts';
import type { Handlers, RequestOf, ResponseOf } from './handlers.ts';

type Request = RequestOf<'PlanResourceChange'>;
type Response = ResponseOf<'PlanResourceChange'>;

/** Says what an apply would do; writes nothing. */
export function planCalls<W>(session: Session<W>): Handlers {
  return {
    PlanResourceChange: async (request) => {
      const { typeName, priorPrivate } = request;
      const gathered = gatherReports();
      if (!session.validated) session.configured?.beginAgain('plan');
      const response = await attempt(
        session,
        gathered,
        `plan ${typeName}`,
        () => plan(session, request, gathered),
        false,
      );
      return {
        plannedState: unseen(session, request),
        plannedPrivate: priorPrivate,
        ...response,
        diagnostics: gathered.all.map(toDiagnosticMessage),
      };
    },
  };
}

/**
 * The plan of a resource that failed: as if it were not looked up. Where the failure was not shown again, Terraform goes on with it,
 * and would complain of what is null and should be unknown, here and in what refers to it. OpenTofu complains of a write-only value
 * even where it was shown.
 */
function unseen<W>(session: Session<W>, request: Request): Response['plannedState'] {
  const resource = session.resources.get(request.typeName);
  const type = session.types.get(request.typeName);
  const proposed = type === undefined ? null : readObject(type, request.proposedNewState);
  if (resource === undefined || type === undefined || proposed === null) return request.proposedNewState;
  const config = readObject(type, request.config) ?? proposed;
  return writeObject(type, planValues(resource.schema, readObject(type, request.priorState), proposed, config));
}

async function plan<W>(
  session: Session<W>,
  request: Request,
  gathered: ReturnType<typeof gatherReports>,
): Promise<Response | undefined> {
  const { resource, type } = resourceOf(session, request.typeName);
  const prior = readObject(type, request.priorState);
  const proposed = readObject(type, request.proposedNewState);
  const privateState = readPrivate(request.priorPrivate);
  const context = verbContext(session, gathered);
  if (proposed === null) {
    if (prior !== null) await resource.planDestroy({ state: prior, private: privateState }, context);
    return {
      plannedState: writeObject(type, null),
      plannedPrivate: request.priorPrivate,
      plannedIdentity: request.priorIdentity,
    };
  }
  const config = readObject(type, request.config) ?? proposed;
  const values = planValues(resource.schema, prior, proposed, config);
  const planned = await resource.plan({ prior, planned: values, config, private: privateState }, context);
  return respond(session, resource, type, planned, request, gathered);
}

function respond<W>(
  session: Session<W>,
  resource: Resource<W>,
  type: Type,
  { planned, private: next }: Planned,
  request: Request,
  gathered: ReturnType<typeof gatherReports>,
): Response | undefined {
  try {
    return {
      plannedState: writeObject(type, planned),
      plannedPrivate: next === undefined ? request.priorPrivate : writePrivate(next),
      // Of what is not known yet it stays as it was until the apply.
      plannedIdentity: writeIdentity(session, resource, planned) ?? request.priorIdentity,
    };
  } catch (error) {
    gathered.report(mistake(`plan ${resource.type}`, error instanceof Error ? error.message : String(error)));
    return undefined;
  }
}
