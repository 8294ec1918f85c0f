/** How long the lock of writes is waited for, in milliseconds: the same for every store. */
export const lockTimeouts = {
  /** By a write: others hold the lock for a moment. */
  write: 10_000,
  /** By whoever opens the store: another process may be bringing it up to date, which takes longer the larger it is. */
  open: 60_000,
};
