import type { ProviderFunction } from './plugin/framework/provider.ts';
import type { Attribute, Schema } from './plugin/framework/schema.ts';
import { createProvider } from './provider.ts';
import { version } from './version.ts';

/** Where Terraform looks for the provider, and OpenTofu. */
export const registryAddresses = [
  'registry.terraform.io/rolecall/rolecall',
  'registry.opentofu.org/rolecall/rolecall',
] as const;

/** What `terraform providers schema -json` prints of this provider, made without Terraform. */
export function schemaJson(): unknown {
  const { schema, resources, dataSources, functions } = createProvider({}, version);
  return {
    format_version: '1.0',
    provider_schemas: {
      [registryAddresses[0]]: {
        provider: schemaOf(schema),
        resource_schemas: Object.fromEntries(resources.map((each) => [each.type, schemaOf(each.schema)])),
        data_source_schemas: Object.fromEntries(dataSources.map((each) => [each.type, schemaOf(each.schema)])),
        functions: Object.fromEntries(functions.map((each) => [each.name, functionOf(each)])),
      },
    },
  };
}

function schemaOf({ version: schemaVersion, description, attributes }: Schema): unknown {
  return {
    version: schemaVersion,
    block: {
      attributes: Object.fromEntries(Object.entries(attributes).map(([name, each]) => [name, attributeOf(each)])),
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
