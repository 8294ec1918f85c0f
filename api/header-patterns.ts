/** The forms of headers that several operations take: the service holds requests to them, and the OpenAPI document has them. */

/** The longest list of entity tags, in characters. */
export const longestTagList = 8192;

/** Pattern of If-Match and If-None-Match: `*`, or a list of entity tags (RFC 9110, 8.8.3 and 13.1). */
export const tagListPattern =
  /^(?:\*|(?:[ \t]*(?:,[ \t]*)*)(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:[ \t]*,(?:[ \t]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")?)*[ \t]*)$/;

/**
 * The key of an Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header-07): a string of structured fields (RFC 9651, 3.3.3)
 * in quotes, with \" and \\ inside; or without quotes, as many clients send it, visible characters but quotes, commas and semicolons.
 */
export const idempotencyKeyPattern =
  /^(?:"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"|[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e]{1,255})$/;
