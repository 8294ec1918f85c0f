import { allCommands, type CompletedCommand, type CompletedOption } from './tree.ts';

/** The completion of fish 3 and newer, with descriptions. */
export function fishCompletion(tree: CompletedCommand): string {
  const commands = allCommands(tree);
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `# fish completion of rolecall
function __rolecall_path
    set -l path
    for word in (commandline -opc)[2..]
        switch (string join -- ' ' $path $word)
            case ${paths.join(' ')}
                set path $path $word
        end
    end
    string join -- ' ' $path
end
function __rolecall_is
    test "$(__rolecall_path)" = "$argv[1]"
end
complete -c rolecall -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf(command: CompletedCommand): string[] {
  const start = `complete -c rolecall -n ${quote(`__rolecall_is "${command.path}"`)}`;
  return [
    ...command.commands.map(({ name, summary }) => `${start} -a ${name} -d ${quote(summary)}`),
    ...command.options.map((option) => `${start} ${optionOf(option)}`),
    ...(command.takesFiles ? [`${start} -F`] : []),
  ];
}

function optionOf({ flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [...names, ...valueOf(value), `-d ${quote(description)}`].join(' ');
}

function valueOf(value: CompletedOption['value']): string[] {
  if (value === undefined) return [];
  if (value === 'files') return ['-r', '-F'];
  return value === 'text' ? ['-x'] : ['-x', `-a ${quote(value.choices.join(' '))}`];
}

/** Between single quotes fish knows two escapes. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
