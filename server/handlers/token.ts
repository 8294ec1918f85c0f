import type { Handlers } from './handler.ts';

export const tokenHandlers = {
  exchangeToken: async ({ body }, { exchange, asker }) => exchange(body.token, asker),
} satisfies Partial<Handlers>;
