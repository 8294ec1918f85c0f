import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** The largest page of entries that one request may ask for. */
export const maxEntryLimit = 1000;

/**
 * Actors of audit entries: an API key or a person with a session, by id; a user of the command line, as `user@host`; a
 * pipeline whose token was exchanged, by its subject; a client without a valid key, by address; or the service itself.
 */
export const actorTypes = ['api_key', 'cli', 'service', 'anonymous', 'pipeline', 'person'] as const;

export const objectKinds = [
  'api_key',
  'audit_trail',
  'data_source',
  'declaration',
  'editor',
  'editor_message',
  'gateway_password',
  'gateway_session',
  'invitation',
  'lease',
  'permission',
  'person',
  'query',
  'role',
  'role_data_source',
  'role_person',
  'session',
  'sign_in_factor',
  'snippet',
  'snippet_version',
] as const;

export const changeActions = [
  'created',
  'changed',
  'deleted',
  'taken',
  'password read',
  'password compared',
  'cancelled',
  'ended',
  'statements run',
  'connection tested',
  'rows read',
  'access ended',
  'access refused',
  'exported',
  'log-in failed',
  'read',
  'recorded',
] as const;

const fields = z.record(z.string(), z.json());

const change = z.object({
  kind: z.enum(objectKinds).meta({ examples: ['role'] }),
  id: z.string().meta({ description: 'identifier of the object', examples: ['r7Tq2kVx9LmN'] }),
  name: z
    .string()
    .optional()
    .meta({ examples: ['analysts'] }),
  action: z.enum(changeActions).meta({ examples: ['created'] }),
  before: fields.optional().meta({
    description: 'the old values of the fields that changed, or all fields of a deleted object',
    examples: [{}],
  }),
  after: fields.optional().meta({ description: 'their new values', examples: [{ name: 'analysts' }] }),
  secrets: z
    .array(z.string())
    .optional()
    .meta({ description: 'what happened to secrets, whose values are never recorded', examples: [[]] }),
  along: z
    .literal(true)
    .optional()
    .meta({ description: 'set if the change before it caused this one', examples: [true] }),
});

/** An entry of the audit trail with its place in the chain. */
export const auditEntry = z
  .object({
    seq: z
      .int()
      .min(1)
      .meta({ description: 'number of the entry, without gaps', examples: [1] }),
    at: timestamp(),
    actor: z.object({
      type: z.enum(actorTypes).meta({ examples: ['api_key'] }),
      id: z.string().meta({ examples: ['k3Jf9sWqL0aZ'] }),
      name: z
        .string()
        .optional()
        .meta({ examples: ['ci'] }),
    }),
    operation: z.string().meta({ examples: ['createRole'] }),
    requestId: z
      .string()
      .nullable()
      .meta({ description: 'as in the log', examples: ['9f2c1a7b-3'] }),
    changes: z.array(change),
    hash: z.string().meta({
      description: 'SHA-256 of the previous hash and this entry',
      examples: ['5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9'],
    }),
  })
  .meta({ id: 'AuditEntry', description: 'What one operation did, and who asked for it.' });
