/** The type that clients accept (specification, Authentication). */
export const vendorMediaType = 'application/vnd.service.v2+json';
export const jsonMediaType = 'application/json';
export const formMediaType = 'application/x-www-form-urlencoded';
/** The type of every error (RFC 9457). */
export const problemMediaType = 'application/problem+json';
/** The type of a stream of server-sent events (WHATWG HTML, 9.2). */
export const eventStreamType = 'text/event-stream';
