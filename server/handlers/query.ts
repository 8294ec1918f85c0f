import { Refusal } from '../refusal.ts';
import type { Handlers } from './handler.ts';

/** Queries are specified, and not offered by this version of the service. */
const refuse = (): Promise<never> =>
  Promise.reject(new Refusal('not_implemented', 'this version of the service does not run queries'));

export const queryHandlers = {
  executeCommands: refuse,
  getQuery: refuse,
  cancelQuery: refuse,
  deleteQuery: refuse,
  getQueryResult: refuse,
  listQueryRows: refuse,
} satisfies Partial<Handlers>;
