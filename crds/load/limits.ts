/**
 * Limits on hostile text. Real definitions stay far below all of them. Each keeps a small file from using up memory or time.
 */
export const limits = {
  /** The bytes of a file. */
  fileBytes: 64 * 1024 * 1024,
  /** The tokens of one document. The parser needs up to about 250 bytes for each. */
  documentTokens: 1_000_000,
  /** The aliases of one document, and the values that nested aliases may expand to. */
  aliases: 1000,
  /** The aliases inside anchored values of one document; the parser searches the whole document for each. */
  nestedAliases: 100,
  /** The fields that merges may copy in one document. */
  mergedFields: 100_000,
  /** The problems that one run reports. Thousands of problems have few causes. */
  problems: 10_000,
} as const;
