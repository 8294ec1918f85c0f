import { recordedCounts, recordedDeclarations } from '../resources/declaration.ts';
import { defineRoutes } from '../route.ts';

export const declarationRoutes = defineRoutes('Managers', {
  recordDeclarations: {
    method: 'PATCH',
    path: '/api/v2/declaration',
    summary: 'Record which objects the definitions of a manager stand for',
    description:
      'Requires the header `rolecall-manager`. A write with the header `rolecall-definition` beside it records the same by itself; this is for objects that were there already. Each is recorded until its object is deleted. A snapshot with `declaredBy` shows them.',
    scope: 'write',
    limitedKeys: 'refused',
    body: { encoding: 'json', schema: recordedDeclarations },
    answer: recordedCounts,
  },
});
