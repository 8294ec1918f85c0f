/**
 * Writes a text of a definition so that Terraform takes it for what it is: in a configuration `${` and `%{` begin an
 * expression. What looks like a token of CDKTF, which would replace it, is cut in two (HCL, Template Expressions).
 */
export function literal(text: string): string {
  return text.replace(/(\$+)\{TfToken\[|[$%]\{/g, (opening, dollars?: string) =>
    dollars === undefined ? `${opening.charAt(0)}${opening}` : `\${"${dollars}"}{TfToken[`,
  );
}
