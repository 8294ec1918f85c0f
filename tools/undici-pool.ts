import type { Plugin } from 'rolldown';

const pool = '\0undici-pool';

/** Of undici the provider uses its pool. All of it is as large as the rest of the provider, and is read at every start. */
export const undiciPool: Plugin = {
  name: 'undici-pool',
  resolveId: (source) => (source === 'undici' ? pool : null),
  load: (id) => (id === pool ? "export { default as Pool } from 'undici/lib/dispatcher/pool.js';" : null),
};
