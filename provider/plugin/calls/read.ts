import { failure, toDiagnosticMessage } from '../framework/diagnostics.ts';
import { importIdOf } from '../framework/identity.ts';
import { type Resource, stateKey } from '../framework/resource.ts';
import { attempt, gatherReports, type Session, verbContext } from '../framework/session.ts';
import {
  type DynamicMessage,
  readConfig,
  readObject,
  readPrivate,
  unknownType,
  writeIdentity,
  writeObject,
  writePrivate,
  writeState,
} from './dynamic.ts';
import type { Handlers } from './handlers.ts';

/** Looks at what is in the workspace: of a resource, of a data source, and of what is to be imported. */
export function readCalls<W>(session: Session<W>): Handlers {
  return {
    ReadResource: async ({ typeName, currentState, private: before }) => {
      const gathered = gatherReports();
      const response = await attempt(
        session,
        gathered,
        `read ${typeName}`,
        async () => {
          const resource = session.resources.get(typeName);
          const type = session.types.get(typeName);
          if (resource === undefined || type === undefined) {
            gathered.report(unknownType(typeName));
            return undefined;
          }
          const state = readObject(type, currentState);
          if (state === null) return { newState: currentState, private: before };
          session.refreshed.add(stateKey(typeName, state['id']));
          const read = await resource.read({ state, private: readPrivate(before) }, verbContext(session, gathered));
          return {
            newState: writeState(type, read.state, gathered, `read ${typeName}`),
            private: read.private === undefined ? before : writePrivate(read.private),
            newIdentity: writeIdentity(session, resource, read.state),
          };
        },
        false,
      );
      return {
        ...(response ?? { newState: currentState, private: before }),
        diagnostics: gathered.all.map(toDiagnosticMessage),
      };
    },
    ReadDataSource: async ({ typeName, config }) => {
      const gathered = gatherReports();
      const response = await attempt(session, gathered, `read data.${typeName}`, async () => {
        const dataSource = session.dataSources.get(typeName);
        const type = session.types.get(`data.${typeName}`);
        if (dataSource === undefined || type === undefined) {
          gathered.report(unknownType(typeName));
          return undefined;
        }
        const state = await dataSource.read(readConfig(type, config), verbContext(session, gathered));
        return { state: writeObject(type, state) };
      });
      return { ...response, diagnostics: gathered.all.map(toDiagnosticMessage) };
    },
    ImportResourceState: async ({ typeName, id: text, identity }) => {
      const gathered = gatherReports();
      const response = await attempt(session, gathered, `import ${typeName}`, async () => {
        const resource = session.resources.get(typeName);
        const type = session.types.get(typeName);
        if (resource === undefined || type === undefined) {
          gathered.report(unknownType(typeName));
          return undefined;
        }
        const id = readImportId(session, resource, text, identity);
        const { state, private: privateState } = await resource.import({ id }, verbContext(session, gathered));
        if (state === null) {
          gathered.report(failure(`Nothing to import`, `There is no ${typeName} ${id} in the workspace.`));
          return undefined;
        }
        return {
          importedResources: [
            {
              typeName,
              state: writeObject(type, state),
              private: writePrivate(privateState),
              identity: writeIdentity(session, resource, state),
            },
          ],
        };
      });
      return { ...response, diagnostics: gathered.all.map(toDiagnosticMessage) };
    },
  };
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
