import { checkConfig } from '../framework/check.ts';
import { toDiagnosticMessage } from '../framework/diagnostics.ts';
import { typeOf } from '../framework/schema.ts';
import { answer, attempt, gatherReports, type Session, unknownType, verbContext } from '../framework/session.ts';
import { type DynamicMessage, readConfig } from './dynamic.ts';
import type { Handlers, RequestOf, ResponseOf } from './handlers.ts';

/** Does what an `action` block asks for; Terraform has them from version 1.14 on. */
export function actionCalls<W>(session: Session<W>): Handlers {
  return {
    ValidateActionConfig: ({ typeName, config: message }) =>
      answer(session, `validate action ${typeName}`, ({ report }) => {
        const { action, config } = read(session, typeName, message);
        checkConfig(action, config, report);
        return {};
      }),
    PlanAction: ({ actionType, config: message }) =>
      answer(session, `plan action ${actionType}`, async (gathered) => {
        const { action, config } = read(session, actionType, message);
        await action.plan?.(config, verbContext(session, gathered));
        return {};
      }),
    InvokeAction: (request) => invoke(session, request),
  };
}

async function* invoke<W>(
  session: Session<W>,
  { actionType, config: message }: RequestOf<'InvokeAction'>,
): AsyncGenerator<ResponseOf<'InvokeAction'>> {
  const gathered = gatherReports();
  const done = await attempt(session, gathered, `invoke action ${actionType}`, () => {
    const { action, config } = read(session, actionType, message);
    return action.invoke(config, verbContext(session, gathered));
  });
  if (done !== undefined) yield { progress: { message: done } };
  yield { completed: { diagnostics: gathered.all.map(toDiagnosticMessage) } };
}

/** @throws DiagnosticError for a type that this provider does not have */
function read<W>({ provider }: Session<W>, typeName: string, message: DynamicMessage | undefined) {
  const action = provider.actions.find(({ type }) => type === typeName);
  if (action === undefined) throw unknownType(typeName);
  return { action, config: readConfig(typeOf(action.schema), message) };
}
