import { command } from '../../protocols/mysql/requests.ts';
import { statementText } from '../statement-text.ts';

/** Commands that run a statement, or do what a statement does. The trail records them whatever becomes of them. */
const running = new Set([
  ...[command.query, command.execute, command.executeBulk],
  ...[command.fieldList, command.processInfo, command.processKill],
]);

export function isRun({ code }: { readonly code: number }): boolean {
  return running.has(code);
}

/** The statement of a command, or the one that does the same; undefined for commands without one. */
export function asStatement(code: number, body: Buffer): string | undefined {
  switch (code) {
    case command.query:
    case command.prepare:
      return statementText(body);
    case command.initDatabase:
      return `USE ${statementText(body)}`;
    case command.fieldList: {
      const [table = '', pattern = ''] = statementText(body).split('\0');
      return `SHOW FIELDS FROM ${table}${pattern === '' ? '' : ` LIKE '${pattern}'`}`;
    }
    case command.processInfo:
      return 'SHOW PROCESSLIST';
    case command.processKill:
      return `KILL ${body.readUInt32LE()}`;
  }
  return undefined;
}
