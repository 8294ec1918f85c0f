import { checkConfig } from '../framework/check.ts';
import { toDiagnosticMessage } from '../framework/diagnostics.ts';
import { actionOf, answer, attempt, gatherReports, type Session, verbContext } from '../framework/session.ts';
import { readConfig } from './dynamic.ts';
import type { Handlers, RequestOf, ResponseOf } from './handlers.ts';

/** Does what an `action` block asks for; Terraform has them from version 1.14 on. */
export function actionCalls<W>(session: Session<W>): Handlers {
  return {
    ValidateActionConfig: ({ typeName, config }) =>
      answer(session, `validate action ${typeName}`, ({ report }) => {
        const { action, type } = actionOf(session, typeName);
        checkConfig(action, readConfig(type, config), report);
        return {};
      }),
    PlanAction: ({ actionType, config }) =>
      answer(session, `plan action ${actionType}`, async (gathered) => {
        const { action, type } = actionOf(session, actionType);
        await action.plan(readConfig(type, config), verbContext(session, gathered));
        return {};
      }),
    InvokeAction: (request) => invoke(session, request),
  };
}

async function* invoke<W>(
  session: Session<W>,
  { actionType, config }: RequestOf<'InvokeAction'>,
): AsyncGenerator<ResponseOf<'InvokeAction'>> {
  const gathered = gatherReports();
  const done = await attempt(session, gathered, `invoke action ${actionType}`, () => {
    const { action, type } = actionOf(session, actionType);
    return action.invoke(readConfig(type, config), verbContext(session, gathered));
  });
  if (done !== undefined) yield { progress: { message: done } };
  yield { completed: { diagnostics: gathered.all.map(toDiagnosticMessage) } };
}
