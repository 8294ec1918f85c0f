import { managerHeader } from '@rolecall/api';
import { invalidFields, malformed } from '../refusal.ts';
import { bumpCollectionVersions } from '../store/collection-version.ts';
import {
  countDeclarations,
  forgetDeclarations,
  putDeclarationOrigin,
  putDeclarations,
  type Remembered,
} from '../store/declaration.ts';
import type { Handlers } from './handler.ts';

/** Definitions that the store remembers, and managers whose origin it remembers. */
const most = { definitions: 1_000_000, origins: 10_000 };

export const declarationHandlers = {
  recordDeclarations: async ({ body }, { store, manager, clock }) => {
    if (manager === undefined) {
      throw malformed(`the header ${managerHeader} is missing: it says whose definitions these are`);
    }
    const { origin, declared = [], forgotten = [] } = body;
    return store.write([], async (executor, record) => {
      const at = clock().toISOString();
      const counts = {
        // First, so that what is in both is declared.
        forgotten: await forgetDeclarations(executor, manager, forgotten),
        declared: await putDeclarations(executor, manager, declared, at),
      };
      const isMoved = origin !== undefined && (await putDeclarationOrigin(executor, manager, origin, at));
      if (counts.declared === 0 && counts.forgotten === 0 && !isMoved) return counts;
      if (counts.declared > 0 || isMoved) requireRoom(await countDeclarations(executor));
      await bumpCollectionVersions(executor, ['declaration']);
      const after = isMoved ? { ...counts, origin } : counts;
      record([{ kind: 'declaration', id: manager, action: 'recorded', after }]);
      return counts;
    });
  },
} satisfies Partial<Handlers>;

/** @throws Refusal invalid_fields, which undoes what was written, if that is too much */
export function requireRoom({ definitions, origins }: Remembered): void {
  if (definitions > most.definitions) {
    const message = `would make more than the ${most.definitions} definitions that the service remembers of all managers: first send those that are gone as \`forgotten\``;
    throw invalidFields([{ path: 'declared', message }]);
  }
  if (origins > most.origins) {
    const message = `would be of more than the ${most.origins} managers that the service remembers it of: use the name of a manager that is there`;
    throw invalidFields([{ path: 'origin', message }]);
  }
}
