import { failure, toDiagnosticMessage } from '../framework/diagnostics.ts';
import { identityVersion } from '../framework/identity.ts';
import { stateKey } from '../framework/resource.ts';
import type { Schema } from '../framework/schema.ts';
import { gatherReports, type Session } from '../framework/session.ts';
import { unknownType } from './dynamic.ts';
import type { Handlers } from './handlers.ts';

/** Brings states and identities of other versions and other types to the current schemas. */
export function upgradeCalls<W>(session: Session<W>): Handlers {
  return {
    UpgradeResourceState: ({ typeName, version, rawState }) => {
      const gathered = gatherReports();
      const resource = session.resources.get(typeName);
      const json = rawState?.json ?? new Uint8Array(0);
      if (resource === undefined) gathered.report(unknownType(typeName));
      else if (version > resource.schema.version) gathered.report(fromTheFuture(typeName));
      else {
        const state = parseObject(json);
        if (state !== undefined) {
          session.stored.set(stateKey(typeName, state['id']), state);
          return { upgradedState: { json: fitAttributes(resource.schema, state, json) } };
        }
        gathered.report(
          failure(
            `The state of ${typeName} cannot be read`,
            'It is not a JSON object. Restore the state from a backup.',
          ),
        );
      }
      return { diagnostics: gathered.all.map(toDiagnosticMessage) };
    },
    UpgradeResourceIdentity: ({ typeName, version, rawIdentity }) => {
      const { report, all } = gatherReports();
      const resource = session.resources.get(typeName);
      if (resource === undefined) report(unknownType(typeName));
      else if (version > identityVersion || !isIdentity(resource.identity, rawIdentity?.json)) {
        report(
          failure(
            `The identity of ${typeName} cannot be read`,
            'It was written by a newer version of the provider, or is damaged. Use that version or a newer one, or restore the state from a backup.',
          ),
        );
      } else return { upgradedIdentity: { identityData: { json: rawIdentity?.json } } };
      return { diagnostics: all.map(toDiagnosticMessage) };
    },
    MoveResourceState: ({ sourceProviderAddress, sourceTypeName, targetTypeName }) => ({
      diagnostics: [
        toDiagnosticMessage(
          failure(
            `Cannot move ${sourceTypeName} to ${targetTypeName}`,
            `No resource of another type (here of ${sourceProviderAddress}) can become a ${targetTypeName}. Import the object instead, and forget the old resource with a removed block.`,
          ),
        ),
      ],
    }),
  };
}

function fromTheFuture(typeName: string) {
  return failure(
    `The state of ${typeName} is newer than the provider`,
    'It was written by a newer version of the provider. Use that version, or a newer one.',
  );
}

/**
 * The state as it came wherever that is possible, which loses nothing, not even digits. Attributes that the schema has
 * and the state has not are added as null, those that the schema no longer has are dropped.
 */
function fitAttributes({ attributes }: Schema, state: Record<string, unknown>, json: Uint8Array): Uint8Array {
  const names = Object.keys(attributes);
  if (Object.keys(state).length === names.length && names.every((name) => Object.hasOwn(state, name))) return json;
  const fitted = names.map((name) => [name, Object.hasOwn(state, name) ? state[name] : null] as const);
  return Buffer.from(JSON.stringify(Object.fromEntries(fitted)));
}

function isIdentity(names: readonly string[], json: Uint8Array = new Uint8Array(0)): boolean {
  const value = parseObject(json);
  if (value === undefined) return false;
  return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}

function parseObject(json: Uint8Array): Record<string, unknown> | undefined {
  try {
    const state: unknown = JSON.parse(Buffer.from(json).toString('utf8'));
    if (typeof state !== 'object' || state === null || Array.isArray(state)) return undefined;
    return Object.fromEntries(Object.entries(state));
  } catch {
    return undefined;
  }
}
