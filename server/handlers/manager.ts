import { selectManaged } from '../store/manager.ts';
import type { Handlers } from './handler.ts';

export const managerHandlers = {
  listManaged: async (_request, { store }) => store.read(selectManaged),
} satisfies Partial<Handlers>;
