import type { OperationId } from '@rolecall/api';

/**
 * The largest body of a request, in bytes. The largest request is a snippet whose text is 200,000 characters of four
 * bytes: percent-encoded in a form that is 2.4 MB, and its other fields are small beside it.
 */
export const bodyLimit = 4 * 1024 * 1024;

/**
 * The largest body of `execute`: a command of 1,000,000 characters, each of them outside the basic plane and written as two
 * escapes of JSON (12 bytes), as some libraries do by themselves.
 */
const executeBodyLimit = 13 * 1024 * 1024;

/** The operations with a limit of their own. A token is sent without a key, so that nobody vouches for its sender. */
export const bodyLimits: Partial<Record<OperationId, number>> = {
  executeCommands: executeBodyLimit,
  exchangeToken: 16 * 1024,
};
