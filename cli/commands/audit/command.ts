import { type Command, InvalidArgumentError } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addServiceOptions } from '../../options/connection-options.ts';
import { databaseUrlOption, folderOption } from '../../options/store-options.ts';

/** `rolecall audit`. */
export function addAudit(program: Command, run: Run): void {
  const audit = program
    .command('audit')
    .summary('read and verify the audit trail')
    .description(
      'The audit trail of the workspace service. Works on its store, whether or not it is running; "list" also asks a running service.',
    );
  const example = [
    'rolecall audit list --data ./rolecall-data --since 24h',
    'rolecall audit list --data ./rolecall-data --person ada --format json',
    'rolecall audit list --url https://workspace.example.com --key k3Jf9sWqL0aZ',
  ].join('\n');
  const list = addCommand(audit, 'list', 'show who changed what; the newest entries, the last one last', example, {
    isDefault: true,
  });
  list.addOption(folderOption()).addOption(databaseUrlOption());
  addServiceOptions(list)
    .option('--since <when>', 'from a time such as 2026-11-01T00:00:00Z, or a duration ago such as 24h')
    .option('--until <when>', 'up to such a time, which itself is not shown')
    .option('--key <id>', 'of one API key: what it changed, and what was done to it')
    .option('--object <id>', 'of one object: what was done to it, and to what refers to it')
    .option('--person <name>', 'of one person, by username or identifier: what they did, and what was done about them')
    .option('--limit <number>', 'how many entries at most', parseLimit, 100)
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./audit.ts'), 'listEntries')));
  addCommand(
    audit,
    'verify',
    'check that no entry of the trail was changed, removed, inserted or moved',
    'rolecall audit verify --data ./rolecall-data\nrolecall audit verify --data ./rolecall-data --checkpoint ./kept-apart/checkpoint',
  )
    .option('--against <file>', 'compare it with what a sink (serve --audit-sink) has')
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .option('--checkpoint <file>', 'what audit checkpoint printed earlier: its entry must still be there')
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./audit.ts'), 'verify')));
  addCommand(
    audit,
    'checkpoint',
    'print the number and the hash of the last entry, to keep where it cannot be changed',
    'rolecall audit checkpoint --data ./rolecall-data > ./kept-apart/checkpoint',
  )
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./audit.ts'), 'checkpoint')));
  addCommand(
    audit,
    'resume',
    'continue a trail that was changed in the database from where it is; an entry records that',
    'rolecall audit resume --data ./rolecall-data --reason "restored the backup of 2 November, see INC-41"',
  )
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .requiredOption('--reason <text>', 'why, for the entry')
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./audit.ts'), 'resume')));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && Number.isSafeInteger(limit)) return limit;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}
