import { checkConfig } from '../framework/check.ts';
import { failure, type Report } from '../framework/diagnostics.ts';
import { type Schema, typeOf } from '../framework/schema.ts';
import { answer, dataSourceOf, resourceOf, type Session } from '../framework/session.ts';
import type { ObjectValue } from '../values/value.ts';
import { readConfig } from './dynamic.ts';
import type { Handlers } from './handlers.ts';

/** Checks configurations as far as they are known. Makes no call. */
export function validateCalls<W>(session: Session<W>): Handlers {
  const { provider } = session;
  return {
    ValidateProviderConfig: ({ config }) =>
      answer(session, 'validate the provider', ({ report }) => {
        session.validated = true;
        checkConfig(provider, readConfig(typeOf(provider.schema), config), report);
        return {};
      }),
    ValidateResourceConfig: ({ typeName, config, clientCapabilities }) =>
      answer(session, `validate ${typeName}`, ({ report }) => {
        const { resource, type } = resourceOf(session, typeName);
        const value = readConfig(type, config);
        if (clientCapabilities?.writeOnlyAttributesAllowed !== true) refuseWriteOnly(resource.schema, value, report);
        checkConfig(resource, value, report);
        return {};
      }),
    ValidateDataResourceConfig: ({ typeName, config }) =>
      answer(session, `validate data.${typeName}`, ({ report }) => {
        const { dataSource, type } = dataSourceOf(session, typeName);
        checkConfig(dataSource, readConfig(type, config), report);
        return {};
      }),
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
