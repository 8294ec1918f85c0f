import { refusal } from '../framework/diagnostics.ts';
import { importIdOf } from '../framework/identity.ts';
import { type Resource, stateKey } from '../framework/resource.ts';
import { answer, dataSourceOf, resourceOf, type Session, verbContext } from '../framework/session.ts';
import {
  type DynamicMessage,
  readConfig,
  readObject,
  readPrivate,
  writeIdentity,
  writeObject,
  writePrivate,
  writeState,
} from './dynamic.ts';
import type { Handlers, RequestOf } from './handlers.ts';

/** Looks at what is in the workspace: of a resource, of a data source, and of what is to be imported. */
export function readCalls<W>(session: Session<W>): Handlers {
  return {
    ReadResource: (request) => readResource(session, request),
    ReadDataSource: ({ typeName, config }) =>
      answer(session, `read data.${typeName}`, async (gathered) => {
        const { dataSource, type } = dataSourceOf(session, typeName);
        const state = await dataSource.read(readConfig(type, config), verbContext(session, gathered));
        return { state: writeObject(type, state) };
      }),
    ImportResourceState: (request) => importResource(session, request),
  };
}

async function readResource<W>(
  session: Session<W>,
  { typeName, currentState, private: before }: RequestOf<'ReadResource'>,
) {
  const what = `read ${typeName}`;
  const unchanged = { newState: currentState, private: before };
  if (!session.validated) session.configured?.beginAgain('read');
  const read = await answer(
    session,
    what,
    async (gathered) => {
      const { resource, type } = resourceOf(session, typeName);
      const state = readObject(type, currentState);
      if (state === null) return unchanged;
      session.refreshed.add(stateKey(typeName, state['id']));
      const reading = await resource.read({ state, private: readPrivate(before) }, verbContext(session, gathered));
      return {
        newState: writeState(type, reading.state, gathered, what),
        private: reading.private === undefined ? before : writePrivate(reading.private),
        newIdentity: writeIdentity(session, resource, reading.state),
      };
    },
    false,
  );
  return { ...unchanged, ...read };
}

function importResource<W>(
  session: Session<W>,
  { typeName, id: text, identity: given }: RequestOf<'ImportResourceState'>,
) {
  return answer(session, `import ${typeName}`, async (gathered) => {
    const { resource, type } = resourceOf(session, typeName);
    const id = readImportId(session, resource, text, given);
    const { state, private: privateState } = await resource.import({ id }, verbContext(session, gathered));
    if (state === null)
      throw refusal(
        'Nothing to import',
        `There is no ${typeName} ${JSON.stringify(id)} in the workspace. It is imported by ${resource.importedBy}. Correct that, or leave the import out: then an apply creates it.`,
      );
    const identity = writeIdentity(session, resource, state);
    return {
      importedResources: [{ typeName, state: writeObject(type, state), private: writePrivate(privateState), identity }],
    };
  });
}

/** The id to import: as it was written, or else from the identity of an import block. */
function readImportId<W>(
  { types }: Session<W>,
  resource: Resource<W>,
  text: string,
  identity: { readonly identityData: DynamicMessage | undefined } | undefined,
): string {
  const type = types.get(`identity.${resource.type}`);
  if (text !== '' || identity === undefined || type === undefined) return text;
  return importIdOf(resource, readConfig(type, identity.identityData));
}
