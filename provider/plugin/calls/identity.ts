import { failure, toDiagnosticMessage } from '../framework/diagnostics.ts';
import { identityVersion, toIdentitySchema } from '../framework/identity.ts';
import { gatherReports, type Session } from '../framework/session.ts';
import { unknownType } from './dynamic.ts';
import type { Handlers } from './handlers.ts';

/** What objects are told apart by, which Terraform asks for from version 1.12 on. */
export function identityCalls<W>({ provider, resources }: Session<W>): Handlers {
  return {
    GetResourceIdentitySchemas: () => ({
      identitySchemas: Object.fromEntries(provider.resources.map((each) => [each.type, toIdentitySchema(each)])),
    }),
    UpgradeResourceIdentity: ({ typeName, version, rawIdentity }) => {
      const { report, all } = gatherReports();
      const resource = resources.get(typeName);
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
  };
}

function isIdentity(names: readonly string[], json: Uint8Array | undefined): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(json ?? []).toString('utf8'));
    if (typeof value !== 'object' || value === null) return false;
    return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
  } catch {
    return false;
  }
}
