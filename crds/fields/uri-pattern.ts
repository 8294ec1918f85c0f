/** The pattern of a connection URI for a Kubernetes API server, whose regular expressions are Go's. */

import { connectionParameters, type DataSourceType, dataSourceTypes } from '@rolecall/api';

/** A port of an address, with the zeros that the URL parser drops. */
export const portPattern = '0*([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

const host = [
  '[A-Za-z0-9_][A-Za-z0-9._-]{0,252}',
  String.raw`\[[0-9A-Fa-f:.]{2,45}\]`,
  // With a letter outside ASCII anywhere. A pattern cannot tell whether it has an ASCII form.
  String.raw`[A-Za-z0-9._-]*[^\x00-\x7f]([A-Za-z0-9._-]|[^\x00-\x7f])*`,
].join('|');

/** One name, percent-encoded or not, that has no slash. */
const database = '([^/?#@%]|%2[0-9A-Ea-e]|%[013-9A-Fa-f][0-9A-Fa-f])*';

/** Takes every URI that `parseConnectionUri` takes, and refuses nearly all others. */
export function connectionUriPatternOfGo(): string {
  return `^(${dataSourceTypes.map((type) => (type === 'sqlite' ? file() : server(type))).join('|')})$`;
}

function server(type: DataSourceType): string {
  return `${type}://(([^/?#%]|%[0-9A-Fa-f]{2})*@)?(${host})(:(${portPattern})?)?(/${database})?${query(type)}`;
}

function file(): string {
  return String.raw`sqlite:///[^\s?#]*[^\s/?#]${query('sqlite')}`;
}

function query(type: DataSourceType): string {
  const parameters = Object.entries(connectionParameters[type]).map(([name, rule]) => `${name}=${values(rule)}`);
  const parameter = `(${parameters.join('|')})`;
  return String.raw`(\?&*(${parameter}(&+${parameter})*&*)?)?`;
}

/** A value as the rule has it, or with something percent-encoded, which the pattern cannot decode. */
function values(rule: RegExp): string {
  const bare = rule.source.slice(1, -1).replace(String.raw`[\x20-\x7e]`, String.raw`[!"$%(-~\x27]`);
  return `(${bare}|[^&#]*%[^&#]*)`;
}
