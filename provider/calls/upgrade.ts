import { failure, toDiagnosticMessage } from '../framework/diagnostics.ts';
import type { Schema } from '../framework/schema.ts';
import { gatherReports, type Session } from '../framework/session.ts';
import { unknownType } from './dynamic.ts';
import type { Handlers } from './handlers.ts';

/** Brings states of other versions and other types to the schemas of today. */
export function upgradeCalls<W>(session: Session<W>): Handlers {
  return {
    UpgradeResourceState: ({ typeName, version, rawState }) => {
      const gathered = gatherReports();
      const resource = session.resources.get(typeName);
      const json = rawState?.json ?? new Uint8Array(0);
      if (resource === undefined) gathered.report(unknownType(typeName));
      else if (version > resource.schema.version) gathered.report(fromTheFuture(typeName));
      else {
        const upgraded = fitAttributes(resource.schema, json);
        if (upgraded !== undefined) return { upgradedState: { json: upgraded } };
        gathered.report(
          failure(
            `The state of ${typeName} cannot be read`,
            'It is not a JSON object. Restore the state from a backup.',
          ),
        );
      }
      return { diagnostics: gathered.all.map(toDiagnosticMessage) };
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
    'It was written by a newer version of the Rolecall provider. Use that version, or a newer one.',
  );
}

/**
 * The state as it came wherever that is possible, which loses nothing, not even digits. Attributes that the schema has
 * and the state has not are added as null, those that the schema no longer has are dropped.
 */
function fitAttributes({ attributes }: Schema, json: Uint8Array): Uint8Array | undefined {
  let state: unknown;
  try {
    state = JSON.parse(Buffer.from(json).toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return undefined;
  const names = Object.keys(attributes);
  const found = new Map<string, unknown>(Object.entries(state));
  if (found.size === names.length && names.every((name) => found.has(name))) return json;
  return Buffer.from(JSON.stringify(Object.fromEntries(names.map((name) => [name, found.get(name) ?? null]))));
}
