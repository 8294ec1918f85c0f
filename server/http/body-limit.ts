/** The largest body of a request, in bytes. */
export const bodyLimit = 2 * 1024 * 1024;
