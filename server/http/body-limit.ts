import type { OperationId } from '@rolecall/api';

/**
 * The largest body of a request, in bytes. A snippet's text of 200,000 characters of four bytes, percent-encoded in a form, is
 * 2.4 MB; a command of 1,000,000 characters is at most 4 MB, unless JSON escapes them. To parse a larger one would keep all other
 * requests waiting.
 */
export const bodyLimit = 4 * 1024 * 1024;

/** The operations with a limit of their own. A token is sent without a key, so that nobody vouches for its sender. */
export const bodyLimits: Partial<Record<OperationId, number>> = { exchangeToken: 16 * 1024 };
