import { emptyObject } from '../fields.ts';
import { currentLease, leaseRenewal, leaseRequest, leaseSchema } from '../resources/lease.ts';
import { defineRoutes } from '../route.ts';

const path = '/api/v2/lease';

export const leaseRoutes = defineRoutes('Lease', {
  readLease: {
    method: 'GET',
    path,
    summary: 'See who holds the lease on the workspace',
    scope: 'read',
    limitedKeys: 'refused',
    answer: currentLease,
  },
  takeLease: {
    method: 'POST',
    path,
    summary: 'Take the lease on the workspace',
    description:
      'There is one, for runs that change much: its holder asks the others to wait. It keeps no one from writing. One that has ended is taken over.',
    scope: 'write',
    limitedKeys: 'refused',
    creates: true,
    body: { encoding: 'json', schema: leaseRequest },
    answer: leaseSchema,
    problems: ['lease_held'],
  },
  renewLease: {
    method: 'POST',
    path: `${path}/:lease`,
    summary: 'Renew the lease that this key has taken',
    description: 'One that has ended can be renewed until another one takes it.',
    scope: 'write',
    limitedKeys: 'refused',
    body: { encoding: 'json', schema: leaseRenewal },
    answer: leaseSchema,
  },
  releaseLease: {
    method: 'DELETE',
    path: `${path}/:lease`,
    summary: 'Release the lease that this key has taken',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
  },
});
