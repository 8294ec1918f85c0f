import type { Command } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { readVersion } from '../../version.ts';

/** `rolecall version`: what a report of a mistake should say. `--version` prints the number alone. */
export function addVersion(program: Command, run: Run): void {
  addCommand(program, 'version', 'print the versions of Rolecall and Node, and the platform', 'rolecall version')
    .addOption(formatOption('text', 'json'))
    .action(
      run(({ output }: Context) => {
        const versions = {
          rolecall: readVersion(),
          node: process.version.slice(1),
          platform: `${process.platform} ${process.arch}`,
        };
        output.say(`rolecall ${versions.rolecall} (Node ${versions.node}, ${versions.platform})`);
        output.document(versions);
        return Promise.resolve(exitCodes.ok);
      }),
    );
}
