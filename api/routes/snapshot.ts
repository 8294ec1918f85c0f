import { snapshotComparison, snapshotQuery, snapshotSchema } from '../resources/snapshot.ts';
import { defineRoutes } from '../route.ts';

const path = '/api/v2/snapshot';

export const snapshotRoutes = defineRoutes('Snapshots', {
  readSnapshot: {
    method: 'GET',
    path,
    summary: 'Read the whole workspace',
    description:
      'Everything that a plan has to know, as it was at one moment. Of a connection URI it has all but the password. The answer has an ETag, and a request with If-None-Match costs little where nothing has changed.',
    scope: 'read',
    limitedKeys: 'refused',
    query: snapshotQuery,
    answer: snapshotSchema,
  },
  compareSnapshot: {
    method: 'POST',
    path,
    summary: 'Read the whole workspace and compare passwords',
    description:
      'The same, and says of data sources whether they have the password that you sent a digest of. Changes nothing. A wrong password is recorded in the audit trail, and a key that was wrong too often gets no more answers about that data source for a while. With the ETag of the answer, a GET with If-None-Match tells whether anything has changed since.',
    scope: 'read',
    limitedKeys: 'refused',
    body: { encoding: 'json', schema: snapshotComparison },
    answer: snapshotSchema,
  },
});
