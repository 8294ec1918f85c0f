/** Logs as Terraform reads them from a plugin's standard error: one JSON object a line (go-hclog's format). */

const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

type Environment = Readonly<Record<string, string | undefined>>;

/** The lowest level that is logged, by the variables that Terraform has for its providers and for itself. Default: warnings. */
function threshold(name: string, env: Environment): number {
  const asked = [env[`TF_LOG_PROVIDER_${name.toUpperCase()}`], env['TF_LOG_PROVIDER'], env['TF_LOG']].find(
    (value) => value !== undefined && value !== '',
  );
  if (asked?.toLowerCase() === 'off') return logLevels.length;
  const level = logLevels.findIndex((name) => name === asked?.toLowerCase());
  // Terraform takes JSON, and everything that it does not know, for trace.
  return asked === undefined ? logLevels.indexOf('warn') : Math.max(level, 0);
}

/**
 * Makes a log that writes lines.
 *
 * @param name the provider's, as in `rolecall`
 * @param write takes a whole line, its end included
 */
export function createLog(name: string, env: Environment, write: (line: string) => void): Log {
  const least = threshold(name, env);
  return (level, message, fields = {}) => {
    if (logLevels.indexOf(level) < least) return;
    const line = {
      '@level': level,
      '@message': message,
      '@module': name,
      // Terraform's parser wants six decimals, and panics at anything else.
      '@timestamp': new Date().toISOString().replace(/Z$/, '000Z'),
      ...fields,
    };
    write(`${JSON.stringify(line)}\n`);
  };
}
