/**
 * The environment variable that stands in for a key of a Kubernetes Secret, which a command line cannot read:
 * `ROLECALL_SECRET_<NAME>_<KEY>` in upper case, everything but letters and digits an underscore.
 */
export function secretVariable(name: string, key: string): string {
  return `ROLECALL_SECRET_${fold(name)}_${fold(key)}`;
}

function fold(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}
