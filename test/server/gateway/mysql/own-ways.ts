/** For a conversation that the test plays: it kills what it is asked to, and knows no other user. */
export const ownWays = {
  kill: () => Promise.resolve(true),
  change: { begin: () => undefined, finish: () => Promise.reject(new Error('not asked for')) },
};
