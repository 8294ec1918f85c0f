import { Argument, type Command } from 'commander';
import { addCommand, type Context, type Run } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof shells)[number];

/** `rolecall completion`. */
export function addCompletion(program: Command, run: Run): void {
  const example = [
    'rolecall completion bash > ~/.local/share/bash-completion/completions/rolecall',
    'rolecall completion zsh > "${fpath[1]}/_rolecall"      # then: autoload -U compinit && compinit',
    'rolecall completion fish > ~/.config/fish/completions/rolecall.fish',
  ].join('\n');
  addCommand(program, 'completion', 'print the completion of a shell', example)
    .addArgument(new Argument('<shell>').choices(shells))
    .action(run((context: Context, shell: Shell) => completion(context, program, shell)));
}

async function completion({ io }: Context, program: Command, shell: Shell): Promise<ExitCode> {
  const { printCompletion } = await import('./completion.ts');
  printCompletion(io, program, shell);
  return exitCodes.ok;
}
