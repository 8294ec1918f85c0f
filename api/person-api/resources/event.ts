import { z } from 'zod';
import { timestamp } from '../../fields.ts';
import { editorId, editorMessage, messageId } from '../../resources/editor.ts';
import { queryId } from '../../resources/query.ts';
import { accessSchema } from './access.ts';

const detail = (description: string, example: string) => z.string().meta({ description, examples: [example] });

/** Contents of each event of the stream, as JSON in its `data`. */
export const personEvents = {
  /** A message in one of the person's editors. Only this event has an `id`. */
  message: editorMessage,
  /** After a reconnect: the messages up to `Last-Event-ID` that are still there. The others were deleted meanwhile. */
  messages_present: z.object({ ids: z.array(messageId) }),
  message_deleted: z.object({ id: messageId }),
  /** The person's access to one data source: of each one at the beginning, then of each one that changes. */
  access: accessSchema
    .pick({ dataSource: true, allowed: true, until: true, detail: true })
    .extend({ isEnding: z.boolean().meta({ description: 'whether it ends within five minutes', examples: [false] }) }),
  /** One of the person's queries is complete. */
  query: z.object({
    id: queryId,
    editorId: editorId.nullable(),
    completedAt: timestamp(),
    success: z.boolean(),
    error: z.string().nullable().meta({ description: 'why it failed or was cancelled; null if it succeeded' }),
  }),
  /** Some snippet has changed: the list may be another one. */
  snippets: z.object({}),
  /** The session has ended, and the stream with it. */
  session: z.object({ detail: detail('what ended it', 'your session has ended') }),
  /** The stream ends because the person has opened too many others. A client must not reconnect. */
  replaced: z.object({ detail: detail('how many there may be', 'more than 8 streams are open') }),
} satisfies Readonly<Record<string, z.ZodType>>;

export type PersonEvent = keyof typeof personEvents;
export type PersonEventData<Event extends PersonEvent> = z.output<(typeof personEvents)[Event]>;
