import { OwnAnswer } from '../../http/messages/own-answer.ts';
import type { PersonHandlers } from '../handler.ts';

export const eventHandlers = {
  openEvents: (_request, { events }, session) => Promise.resolve(new OwnAnswer((reply) => events.send(reply, session))),
} satisfies Partial<PersonHandlers>;
