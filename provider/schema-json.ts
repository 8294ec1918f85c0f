import type { ProviderFunction } from './plugin/framework/provider.ts';
import type { Attribute, Schema } from './plugin/framework/schema.ts';
import { createProvider } from './provider.ts';
import { version } from './version.ts';

/** Addresses of the provider in the registries of Terraform and OpenTofu. */
export const registryAddresses = [
  'registry.terraform.io/rolecall/rolecall',
  'registry.opentofu.org/rolecall/rolecall',
] as const;

/** Makes the output of `terraform providers schema -json` for this provider, without Terraform. */
export function schemaJson(): unknown {
  const { schema, resources, dataSources, functions } = createProvider({}, version);
  return {
    format_version: '1.0',
    provider_schemas: {
      [registryAddresses[0]]: {
        provider: schemaOf(schema),
        resource_schemas: Object.fromEntries(resources.map((resource) => [resource.type, schemaOf(resource.schema)])),
        data_source_schemas: Object.fromEntries(
          dataSources.map((dataSource) => [dataSource.type, schemaOf(dataSource.schema)]),
        ),
        functions: Object.fromEntries(functions.map((definition) => [definition.name, functionOf(definition)])),
      },
    },
  };
}

function schemaOf({ version: schemaVersion, description, attributes }: Schema): unknown {
  return {
    version: schemaVersion,
    block: {
      attributes: Object.fromEntries(
        Object.entries(attributes).map(([name, attribute]) => [name, attributeOf(attribute)]),
      ),
      description,
      description_kind: 'markdown',
    },
  };
}

function attributeOf({ type, description, presence, sensitive, writeOnly }: Attribute): unknown {
  return {
    type,
    description,
    description_kind: 'markdown',
    ...(presence === 'required' ? { required: true } : {}),
    ...(presence === 'optional' || presence === 'optional-computed' ? { optional: true } : {}),
    ...(presence === 'computed' || presence === 'optional-computed' ? { computed: true } : {}),
    ...(sensitive === true ? { sensitive: true } : {}),
    ...(writeOnly === true ? { write_only: true } : {}),
  };
}

function functionOf({ description, summary, parameters, returns }: ProviderFunction): unknown {
  return {
    description,
    summary,
    return_type: returns,
    parameters: parameters.map(({ name, type, description: text }) => ({ name, description: text, type })),
  };
}
