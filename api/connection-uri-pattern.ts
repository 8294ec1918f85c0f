import { connectionParameters, type DataSourceType } from './connection-uri.ts';

/**
 * The pattern of a connection URI in openapi.json, from which tools generate requests. It is stricter than the parser: it
 * wants some characters percent-encoded that the parser accepts as they are.
 */
export function describeConnectionUri(): string {
  // MySQL and MariaDB take the same parameters.
  const types = [network('postgresql', 'postgresql'), network('(mysql|mariadb)', 'mysql'), file()];
  return `^${noParameterTwice}(${types.join('|')})$`;
}

const noParameterTwice = String.raw`(?!.*[?&]([a-z_-]+)=.*&\1=)`;

/** Percent-encoded ASCII except control characters and the slash, and most UTF-8 sequences of two and three bytes. */
const encoded = [
  '%2[0-9A-Ea-e]|%[3-7][0-9A-Fa-f]',
  '%[Cc][3-9A-Fa-f]%[89ABab][0-9A-Fa-f]',
  '%[Ee][1-9A-Ca-c](%[89ABab][0-9A-Fa-f]){2}',
].join('|');
const word = `([A-Za-z0-9._~!$'()*,;-]|${encoded})`;
const host = String.raw`([A-Za-z0-9_][A-Za-z0-9._-]{0,252}|\[::[0-9A-Fa-f]{1,4}\]|\[([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}\])`;
const port = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';

function network(scheme: string, type: DataSourceType): string {
  return `${scheme}://(${word}+(:${word}*)?@)?${host}(:${port})?(/${word}*)?${query(type)}`;
}

function file(): string {
  return `sqlite:///[A-Za-z0-9_]${word}*(/[A-Za-z0-9_]${word}*)*${query('sqlite')}`;
}

function query(type: DataSourceType): string {
  const parameters = Object.entries(connectionParameters[type]).map(([name, rule]) => `${name}=${valuePattern(rule)}`);
  const pair = `(${parameters.join('|')})`;
  return String.raw`(\?${pair}(&${pair})*)?`;
}

/** The values that need no percent-encoding; every rule has some. */
function valuePattern(rule: RegExp): string {
  const bare = rule.source.slice(1, -1);
  return bare.includes('[\\x20-\\x7e]') ? bare.replace('[\\x20-\\x7e]', '[A-Za-z0-9._-]') : bare;
}
