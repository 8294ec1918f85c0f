import { Argument, type Command } from 'commander';
import { addCommand, lazily, type Run } from '../../command.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** `rolecall completion`. */
export function addCompletion(program: Command, run: Run): void {
  const example = [
    'rolecall completion bash > ~/.local/share/bash-completion/completions/rolecall',
    'rolecall completion zsh > "${fpath[1]}/_rolecall"      # then: autoload -U compinit && compinit',
    'rolecall completion fish > ~/.config/fish/completions/rolecall.fish',
  ].join('\n');
  addCommand(program, 'completion', 'print the completion of a shell', example)
    .addArgument(new Argument('<shell>').choices(shells))
    .action(run(lazily(() => import('./completion.ts'), 'printCompletion')));
}
