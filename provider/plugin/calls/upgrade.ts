import { type DiagnosticError, failure, refusal, toDiagnosticMessage } from '../framework/diagnostics.ts';
import { identityVersion } from '../framework/identity.ts';
import { stateKey } from '../framework/resource.ts';
import type { Schema } from '../framework/schema.ts';
import { answer, resourceOf, type Session } from '../framework/session.ts';
import type { Handlers } from './handlers.ts';

/** Brings states and identities of other versions and other types to the current schemas. */
export function upgradeCalls<W>(session: Session<W>): Handlers {
  return {
    UpgradeResourceState: ({ typeName, version, rawState }) =>
      answer(session, `upgrade the state of ${typeName}`, () => {
        const { schema } = resourceOf(session, typeName).resource;
        if (version > schema.version) throw fromTheFuture(typeName);
        const json = rawState?.json ?? new Uint8Array(0);
        const state = parseObject(json);
        if (state === undefined) {
          throw refusal(
            `The state of ${typeName} cannot be read`,
            'It is not a JSON object. Restore the state from a backup.',
          );
        }
        session.stored.set(stateKey(typeName, state['id']), state);
        return { upgradedState: { json: fitAttributes(schema, state, json) } };
      }),
    UpgradeResourceIdentity: ({ typeName, version, rawIdentity }) =>
      answer(session, `upgrade the identity of ${typeName}`, () => {
        const { identity } = resourceOf(session, typeName).resource;
        if (version > identityVersion || !isIdentity(identity, rawIdentity?.json)) {
          throw refusal(
            `The identity of ${typeName} cannot be read`,
            'It was written by a newer version of the provider, or is damaged. Use that version or a newer one, or restore the state from a backup.',
          );
        }
        return { upgradedIdentity: { identityData: { json: rawIdentity?.json } } };
      }),
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

function fromTheFuture(typeName: string): DiagnosticError {
  return refusal(
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
