/** For a conversation that the test plays: it knows no session that may be stopped, and no other user. */
export const ownWays = {
  serverId: () => undefined,
  change: { begin: () => undefined, finish: () => Promise.reject(new Error('not asked for')) },
};
