import { toIdentitySchema } from '../framework/identity.ts';
import { listSchemaOf } from '../framework/list.ts';
import type { Provider, ProviderFunction } from '../framework/provider.ts';
import { toMessage } from '../framework/schema.ts';
import type { Session } from '../framework/session.ts';
import { markdown } from '../messages/messages.ts';
import type { Handlers } from './handlers.ts';

const serverCapabilities = { planDestroy: true, getProviderSchemaOptional: true, moveResourceState: true };

/** What the provider has: answered without a configuration. */
export function schemaCalls<W>({ provider }: Session<W>): Handlers {
  const { schema, resources, dataSources, functions, actions } = provider;
  return {
    GetMetadata: () => ({
      serverCapabilities,
      resources: resources.map(({ type }) => ({ typeName: type })),
      dataSources: dataSources.map(({ type }) => ({ typeName: type })),
      functions: functions.map(({ name }) => ({ name })),
      listResources: resources.map(({ type }) => ({ typeName: type })),
      actions: actions.map(({ type }) => ({ typeName: type })),
    }),
    GetProviderSchema: () => ({
      serverCapabilities,
      provider: toMessage(schema),
      resourceSchemas: Object.fromEntries(resources.map((each) => [each.type, toMessage(each.schema)])),
      dataSourceSchemas: Object.fromEntries(dataSources.map((each) => [each.type, toMessage(each.schema)])),
      functions: signatures(provider),
      listResourceSchemas: Object.fromEntries(resources.map((each) => [each.type, toMessage(listSchemaOf(each))])),
      actionSchemas: Object.fromEntries(actions.map((each) => [each.type, { schema: toMessage(each.schema) }])),
    }),
    GetResourceIdentitySchemas: () => ({
      identitySchemas: Object.fromEntries(resources.map((each) => [each.type, toIdentitySchema(each)])),
    }),
    GetFunctions: () => ({ functions: signatures(provider) }),
  };
}

function signatures<W>({ functions }: Provider<W>) {
  return Object.fromEntries(functions.map((each) => [each.name, toSignature(each)]));
}

function toSignature({ parameters, returns, summary, description }: ProviderFunction) {
  return {
    summary,
    description,
    descriptionKind: markdown,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      type: Buffer.from(JSON.stringify(parameter.type)),
      description: parameter.description,
      descriptionKind: markdown,
    })),
    return: { type: Buffer.from(JSON.stringify(returns)) },
  };
}
