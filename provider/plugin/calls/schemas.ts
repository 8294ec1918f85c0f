import { toIdentitySchema } from '../framework/identity.ts';
import { listSchemaOf } from '../framework/list.ts';
import type { Provider, ProviderFunction } from '../framework/provider.ts';
import { toMessage } from '../framework/schema.ts';
import type { Session } from '../framework/session.ts';
import { markdown } from '../messages/messages.ts';
import type { Handlers } from './handlers.ts';

const serverCapabilities = { planDestroy: true, getProviderSchemaOptional: true, moveResourceState: true };

/** Answers calls for the schemas of the provider, which need no configuration. */
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
      resourceSchemas: Object.fromEntries(resources.map((resource) => [resource.type, toMessage(resource.schema)])),
      dataSourceSchemas: Object.fromEntries(
        dataSources.map((dataSource) => [dataSource.type, toMessage(dataSource.schema)]),
      ),
      functions: signatures(provider),
      listResourceSchemas: Object.fromEntries(
        resources.map((resource) => [resource.type, toMessage(listSchemaOf(resource))]),
      ),
      actionSchemas: Object.fromEntries(actions.map((action) => [action.type, { schema: toMessage(action.schema) }])),
    }),
    GetResourceIdentitySchemas: () => ({
      identitySchemas: Object.fromEntries(resources.map((resource) => [resource.type, toIdentitySchema(resource)])),
    }),
    GetFunctions: () => ({ functions: signatures(provider) }),
  };
}

function signatures<W>({ functions }: Provider<W>) {
  return Object.fromEntries(functions.map((definition) => [definition.name, toSignature(definition)]));
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
