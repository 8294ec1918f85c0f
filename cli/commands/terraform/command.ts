import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';

/** `rolecall terraform`. */
export function addTerraform(program: Command, run: Run): void {
  const terraform = program
    .command('terraform')
    .summary('install the Terraform provider, print its schema')
    .description('The Terraform provider, for terraform and tofu alike.');
  addCommand(
    terraform,
    'install',
    'put the provider where terraform and tofu look for it',
    'rolecall terraform install\nrolecall terraform install --dir ./mirror',
  )
    .option('--dir <folder>', 'a filesystem mirror (default: ~/.terraform.d/plugins, which needs no configuration)')
    .option(
      '--from <file>',
      'the executable, or script (default: what npm run build:provider made; else what came with the package, which needs node)',
    )
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(load, 'install')));
  addCommand(
    terraform,
    'schema',
    'print the schema of the provider, as terraform providers schema -json does',
    'rolecall terraform schema',
  )
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(load, 'printTerraformSchema')));
}

const load = () => import('./terraform.ts');
