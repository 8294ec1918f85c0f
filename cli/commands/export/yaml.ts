import { Document, parseDocument, Scalar, visit } from 'yaml';

const options = {
  // Long texts stay as they are: folded, they would read as if they had line breaks.
  lineWidth: 0,
  // Quoted text stays in one line: over several lines the library loses the blanks at their ends.
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

/**
 * Writes a value as YAML that a parser reads back as the same value. Texts of several lines stay readable if possible. A
 * text that the library would not write faithfully is quoted.
 */
export function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && node.value.includes('\n') && !comesBack(node.value)) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  return document.toString(options);
}

/** True if a text of several lines is the same after it was written and read. */
function comesBack(text: string): boolean {
  const parsed = parseDocument(new Document({ text }).toString(options));
  return parsed.errors.length === 0 && parsed.warnings.length === 0 && parsed.get('text') === text;
}
