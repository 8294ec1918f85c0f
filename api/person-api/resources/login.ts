import { z } from 'zod';
import { line, named, timestamp } from '../../fields.ts';
import { personReference } from '../../resources/person.ts';

/** Letters that cannot be mistaken for each other, and that spell no words. */
export const loginCode = z
  .string()
  .regex(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/, 'must be eight letters such as BCDF-GHJK')
  .meta({ description: 'what the tool shows, and the page too', examples: ['BCDF-GHJK'] });

const secret = z
  .string()
  .max(100)
  .meta({ examples: ['rolecall_login_3q2-7w'] });

const tool = line(100, 'rolecall on laptop').describe('what asks for the session, in its own words');

export const newLogin = z.strictObject({
  tool: named(tool),
  port: z
    .int()
    .min(1024)
    .max(65_535)
    .optional()
    .meta({
      description:
        "where the tool waits on its own machine's 127.0.0.1; without it, anyone who has the code can confirm",
      examples: [49_152],
    }),
});

export const loginSchema = z
  .object({
    secret: secret.meta({ description: 'for the tool alone: it exchanges it for the session' }),
    code: loginCode,
    url: z
      .string()
      .meta({ description: 'where the person confirms', examples: ['https://rolecall.example.com/login'] }),
    expiresAt: timestamp(),
  })
  .meta({ id: 'Login', description: 'A tool that waits for a session.' });

export const waitingTool = z
  .object({
    tool,
    address: z.string().meta({ description: 'from where it asks', examples: ['192.0.2.7'] }),
    expiresAt: timestamp(),
  })
  .meta({ id: 'WaitingTool', description: 'A tool that a person may sign in.' });

export const confirmedLogin = z
  .object({
    redirect: z
      .string()
      .nullable()
      .meta({
        description: 'where the browser goes next, so that only a tool on its own machine gets the session',
        examples: ['http://127.0.0.1:49152/?confirmation=3q2-7w'],
      }),
  })
  .meta({ id: 'ConfirmedLogin' });

export const redeemedLogin = z.strictObject({
  secret,
  confirmation: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'what the browser brought, for a tool with a port', examples: ['rolecall_login_7w3q2'] }),
});

export const toolSession = z
  .object({
    state: z.enum(['waiting', 'done']).meta({ description: '`waiting` until the person has confirmed' }),
    token: z
      .string()
      .nullable()
      .meta({ examples: ['rolecall_session_3q2-7w'] }),
    expiresAt: timestamp().nullable(),
    person: personReference.nullable(),
  })
  .meta({ id: 'ToolSession' });
