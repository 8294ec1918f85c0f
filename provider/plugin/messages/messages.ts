/**
 * The numbers of the fields of Terraform's plugin protocol, version 6.10, as far as this provider reads or writes them.
 * Source: docs/plugin-protocol/tfplugin6.proto of https://github.com/hashicorp/terraform, and tfprotov6 of
 * https://github.com/hashicorp/terraform-plugin-go. Newer minor versions only add fields, which are passed over.
 */
import { bool, bytes, int, type MessageInput, map, message, messages, optionalInt, string } from './fields.ts';

export const severities = { error: 1, warning: 2 } as const;
export const markdown = 1;

/** A value of Terraform's own types, in MessagePack or, in states of old, JSON. */
const dynamicValue = { msgpack: bytes(1), json: bytes(2) } as const;

const pathStep = { attributeName: string(1), elementKeyString: string(2), elementKeyInt: optionalInt(3) } as const;
export const attributePath = { steps: messages(1, () => pathStep) } as const;
export const diagnostic = {
  severity: int(1),
  summary: string(2),
  detail: string(3),
  attribute: message(4, () => attributePath),
} as const;
const diagnostics = (number: number) => messages(number, () => diagnostic);

const rawState = { json: bytes(1) } as const;

const attribute = {
  name: string(1),
  type: bytes(2),
  description: string(3),
  required: bool(4),
  optional: bool(5),
  computed: bool(6),
  sensitive: bool(7),
  descriptionKind: int(8),
  deprecated: bool(9),
  writeOnly: bool(11),
} as const;
const block = {
  version: int(1),
  attributes: messages(2, () => attribute),
  description: string(4),
  descriptionKind: int(5),
  deprecated: bool(6),
} as const;
const schema = { version: int(1), block: message(2, () => block) } as const;
export type SchemaMessage = MessageInput<typeof schema>;

const parameter = {
  name: string(1),
  type: bytes(2),
  allowNullValue: bool(3),
  allowUnknownValues: bool(4),
  description: string(5),
  descriptionKind: int(6),
} as const;
const functionSignature = {
  parameters: messages(1, () => parameter),
  variadicParameter: message(2, () => parameter),
  return: message(3, () => ({ type: bytes(1) }) as const),
  summary: string(4),
  description: string(5),
  descriptionKind: int(6),
} as const;

const serverCapabilities = {
  planDestroy: bool(1),
  getProviderSchemaOptional: bool(2),
  moveResourceState: bool(3),
} as const;
const clientCapabilities = { deferralAllowed: bool(1), writeOnlyAttributesAllowed: bool(2) } as const;

export const identitySchema = {
  version: int(1),
  identityAttributes: messages(
    2,
    () =>
      ({
        name: string(1),
        type: bytes(2),
        requiredForImport: bool(3),
        optionalForImport: bool(4),
        description: string(5),
      }) as const,
  ),
} as const;
const identityData = { identityData: message(1, () => dynamicValue) } as const;

const named = { typeName: string(1) } as const;
const value = (number: number) => message(number, () => dynamicValue);
const identity = (number: number) => message(number, () => identityData);
const capabilities = (number: number) => message(number, () => clientCapabilities);
const empty = {} as const;

/** Each call of the service tfplugin6.Provider: its request and its response. */
export const calls = {
  GetMetadata: {
    request: empty,
    response: {
      serverCapabilities: message(1, () => serverCapabilities),
      diagnostics: diagnostics(2),
      dataSources: messages(3, () => named),
      resources: messages(4, () => named),
      functions: messages(5, () => ({ name: string(1) }) as const),
      listResources: messages(7, () => named),
      actions: messages(9, () => named),
    },
  },
  GetProviderSchema: {
    request: empty,
    response: {
      provider: message(1, () => schema),
      resourceSchemas: map(2, () => schema),
      dataSourceSchemas: map(3, () => schema),
      diagnostics: diagnostics(4),
      serverCapabilities: message(6, () => serverCapabilities),
      functions: map(7, () => functionSignature),
      listResourceSchemas: map(9, () => schema),
      actionSchemas: map(11, () => ({ schema: message(1, () => schema) }) as const),
    },
  },
  GetResourceIdentitySchemas: {
    request: empty,
    response: { identitySchemas: map(1, () => identitySchema), diagnostics: diagnostics(2) },
  },
  ValidateProviderConfig: { request: { config: value(1) }, response: { diagnostics: diagnostics(2) } },
  ValidateResourceConfig: {
    request: { typeName: string(1), config: value(2), clientCapabilities: capabilities(3) },
    response: { diagnostics: diagnostics(1) },
  },
  ValidateDataResourceConfig: {
    request: { typeName: string(1), config: value(2) },
    response: { diagnostics: diagnostics(1) },
  },
  ValidateListResourceConfig: {
    request: { typeName: string(1), config: value(2), includeResourceObject: value(3), limit: value(4) },
    response: { diagnostics: diagnostics(1) },
  },
  UpgradeResourceState: {
    request: { typeName: string(1), version: int(2), rawState: message(3, () => rawState) },
    response: { upgradedState: value(1), diagnostics: diagnostics(2) },
  },
  UpgradeResourceIdentity: {
    request: { typeName: string(1), version: int(2), rawIdentity: message(3, () => rawState) },
    response: { upgradedIdentity: identity(1), diagnostics: diagnostics(2) },
  },
  ConfigureProvider: {
    request: { terraformVersion: string(1), config: value(2), clientCapabilities: capabilities(3) },
    response: { diagnostics: diagnostics(1) },
  },
  ReadResource: {
    request: {
      typeName: string(1),
      currentState: value(2),
      private: bytes(3),
      clientCapabilities: capabilities(5),
      currentIdentity: identity(6),
    },
    response: { newState: value(1), diagnostics: diagnostics(2), private: bytes(3), newIdentity: identity(5) },
  },
  PlanResourceChange: {
    request: {
      typeName: string(1),
      priorState: value(2),
      proposedNewState: value(3),
      config: value(4),
      priorPrivate: bytes(5),
      clientCapabilities: capabilities(7),
      priorIdentity: identity(8),
    },
    response: {
      plannedState: value(1),
      requiresReplace: messages(2, () => attributePath),
      plannedPrivate: bytes(3),
      diagnostics: diagnostics(4),
      plannedIdentity: identity(7),
    },
  },
  ApplyResourceChange: {
    request: {
      typeName: string(1),
      priorState: value(2),
      plannedState: value(3),
      config: value(4),
      plannedPrivate: bytes(5),
      plannedIdentity: identity(7),
    },
    response: { newState: value(1), private: bytes(2), diagnostics: diagnostics(3), newIdentity: identity(5) },
  },
  ImportResourceState: {
    request: { typeName: string(1), id: string(2), clientCapabilities: capabilities(3), identity: identity(4) },
    response: {
      importedResources: messages(
        1,
        () => ({ typeName: string(1), state: value(2), private: bytes(3), identity: identity(4) }) as const,
      ),
      diagnostics: diagnostics(2),
    },
  },
  MoveResourceState: {
    request: { sourceProviderAddress: string(1), sourceTypeName: string(2), targetTypeName: string(5) },
    response: { targetState: value(1), diagnostics: diagnostics(2) },
  },
  ReadDataSource: {
    request: { typeName: string(1), config: value(2) },
    response: { state: value(1), diagnostics: diagnostics(2) },
  },
  GetFunctions: {
    request: empty,
    response: { functions: map(1, () => functionSignature), diagnostics: diagnostics(2) },
  },
  CallFunction: {
    request: { name: string(1), arguments: messages(2, () => dynamicValue) },
    response: {
      result: value(1),
      error: message(2, () => ({ text: string(1), functionArgument: optionalInt(2) }) as const),
    },
  },
  ListResource: {
    request: { typeName: string(1), config: value(2), includeResourceObject: bool(3), limit: int(4) },
    /** One of a stream. */
    response: {
      identity: identity(1),
      displayName: string(2),
      resourceObject: value(3),
      diagnostics: diagnostics(4),
    },
  },
  ValidateActionConfig: {
    request: { typeName: string(1), config: value(2) },
    response: { diagnostics: diagnostics(1) },
  },
  PlanAction: {
    request: { actionType: string(1), config: value(2) },
    response: { diagnostics: diagnostics(1) },
  },
  InvokeAction: {
    request: { actionType: string(1), config: value(2) },
    /** One of a stream: either of the two. */
    response: {
      progress: message(1, () => ({ message: string(1) }) as const),
      completed: message(2, () => ({ diagnostics: diagnostics(1) }) as const),
    },
  },
  StopProvider: { request: empty, response: { error: string(1) } },
} as const;

export type CallName = keyof typeof calls;
