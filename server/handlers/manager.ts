import { managedPages } from '../store/manager.ts';
import type { Handlers } from './handler.ts';

export const managerHandlers = {
  listManaged: async (_request, { store }) => store.list(managedPages),
} satisfies Partial<Handlers>;
