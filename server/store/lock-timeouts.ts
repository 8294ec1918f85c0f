/** Milliseconds to wait for the write lock: the same for every store. */
export const lockTimeouts = {
  /** For a write: others hold the lock only briefly. */
  write: 10_000,
  /** To open the store: another process may be migrating it, which takes longer the larger it is. */
  open: 60_000,
};
