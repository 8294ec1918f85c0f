import { allCommands, type CompletedCommand, type CompletedOption } from './tree.ts';

/** The completion of bash 3.2 and newer, which has neither descriptions nor a library to rely on. */
export function bashCompletion(tree: CompletedCommand): string {
  const commands = allCommands(tree);
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `# bash completion of rolecall
_rolecall() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= word i IFS=$'\\n'
  # bash makes three words of --format=json.
  if [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $cur == '=' ]]; then cur=; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${path:+$path }\${COMP_WORDS[i]}
    case $word in
      ${paths.join('|')}) path=$word ;;
    esac
  done
  COMPREPLY=()
  case "$path:$prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  local words= files=
  case $path in
${commands.map(wordCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n $files && $cur != -* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$cur"))
  fi
}
complete -F _rolecall rolecall
`;
}

function valueCases({ path, options }: CompletedCommand): string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const names = flags.map((flag) => quote(`${path}:${flag}`)).join('|');
    return [`    ${names}) ${complete(value)}return ;;`];
  });
}

function complete(value: NonNullable<CompletedOption['value']>): string {
  if (value === 'text') return '';
  if (value === 'files') return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); ';
  return `COMPREPLY=($(compgen -W ${lines(value.choices)} -- "$cur")); `;
}

function wordCase({ path, commands, options, takesFiles }: CompletedCommand): string {
  const words = [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
  return `    '${path}') words=${lines(words)}${takesFiles ? ' files=1' : ''} ;;`;
}

/** One candidate per line; bash splits on newlines only, because file names may contain spaces. */
const lines = (words: readonly string[]): string => `$'${words.join('\\n')}'`;

const quote = (text: string): string => `'${text}'`;
