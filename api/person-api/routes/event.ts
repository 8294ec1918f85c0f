import { z } from 'zod';
import { eventStreamType } from '../../media-types.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

export const eventRoutes = definePersonRoutes('Events', {
  openEvents: {
    method: 'GET',
    path: `${personApiPath}/events`,
    summary: 'Open the stream of events',
    description:
      "Server-sent events: messages in the person's editors, changes of access, completed queries, the end of the session. State is sent anew at the beginning of each stream; with `Last-Event-ID`, messages continue where they ended.",
    session: 'whole',
    sends: [eventStreamType],
    answer: z.string(),
    problems: ['unavailable'],
  },
});
