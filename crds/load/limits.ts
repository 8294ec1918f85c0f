/**
 * How much of hostile text is read before it is refused: no definitions that people write come near to any of these, and
 * each keeps a small file from taking the machine's memory or the reader's day.
 */
export const limits = {
  /** The bytes of a file. */
  fileBytes: 64 * 1024 * 1024,
  /** The tokens of one document. The parser takes up to some 250 bytes for each. */
  documentTokens: 1_000_000,
  /** The aliases of one document, and how many values those that stand in each other may come to. */
  aliases: 1000,
  /** The aliases inside of anchored values of one document: the parser searches the document for each of them. */
  nestedAliases: 100,
  /** The fields that merges copy in one document. */
  mergedFields: 100_000,
  /** The problems that are reported of one run. Thousands of one slip are one slip. */
  problems: 10_000,
} as const;
