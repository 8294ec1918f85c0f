import { checkConfig } from '../framework/check.ts';
import { failure, type Report, toDiagnosticMessage } from '../framework/diagnostics.ts';
import { type Schema, typeOf } from '../framework/schema.ts';
import { attempt, gatherReports, type Session } from '../framework/session.ts';
import type { ObjectValue } from '../values/value.ts';
import { readConfig, unknownType } from './dynamic.ts';
import type { Handlers } from './handlers.ts';

/** Checks configurations as far as they are known. Makes no call. */
export function validateCalls<W>(session: Session<W>): Handlers {
  const { provider } = session;
  return {
    ValidateProviderConfig: async ({ config }) => {
      const gathered = gatherReports();
      await attempt(session, gathered, 'validate the provider', () => {
        const value = readConfig(typeOf(provider.schema), config);
        checkConfig(provider, value, gathered.report);
      });
      return { diagnostics: gathered.all.map(toDiagnosticMessage) };
    },
    ValidateResourceConfig: async ({ typeName, config, clientCapabilities }) => {
      const gathered = gatherReports();
      await attempt(session, gathered, `validate ${typeName}`, () => {
        const resource = session.resources.get(typeName);
        const type = session.types.get(typeName);
        if (resource === undefined || type === undefined) {
          gathered.report(unknownType(typeName));
          return;
        }
        const value = readConfig(type, config);
        if (clientCapabilities?.writeOnlyAttributesAllowed !== true) {
          refuseWriteOnly(resource.schema, value, gathered.report);
        }
        checkConfig(resource, value, gathered.report);
      });
      return { diagnostics: gathered.all.map(toDiagnosticMessage) };
    },
    ValidateDataResourceConfig: async ({ typeName, config }) => {
      const gathered = gatherReports();
      await attempt(session, gathered, `validate data.${typeName}`, () => {
        const dataSource = session.dataSources.get(typeName);
        const type = session.types.get(`data.${typeName}`);
        if (dataSource === undefined || type === undefined) {
          gathered.report(unknownType(typeName));
          return;
        }
        const value = readConfig(type, config);
        checkConfig(dataSource, value, gathered.report);
      });
      return { diagnostics: gathered.all.map(toDiagnosticMessage) };
    },
  };
}

/** An older Terraform would store the value. */
function refuseWriteOnly(schema: Schema, config: ObjectValue, report: Report): void {
  for (const [name, { writeOnly }] of Object.entries(schema.attributes)) {
    if (writeOnly !== true || config[name] === null) continue;
    report(
      failure(
        `${name} needs a newer Terraform`,
        `${name} is write-only, which Terraform knows from version 1.11 on. Use Terraform 1.11 or newer, or the attribute that the documentation names instead.`,
        [name],
      ),
    );
  }
}
