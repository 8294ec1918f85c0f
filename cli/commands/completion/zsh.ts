import { allCommands, type CompletedCommand, type CompletedOption } from './tree.ts';

/** The completion of zsh, with descriptions. It works as a file of `$fpath` and when it is sourced. */
export function zshCompletion(tree: CompletedCommand): string {
  return `#compdef rolecall
# zsh completion of rolecall
${allCommands(tree).map(functionOf).join('\n')}
# Run as a file of $fpath it completes at once; sourced, it says what it completes.
if [[ $funcstack[1] == _rolecall ]]; then _rolecall "$@"; else compdef _rolecall rolecall; fi
`;
}

function functionOf(command: CompletedCommand): string {
  const specs = command.options.map(specOf);
  if (command.commands.length === 0) {
    const files = command.takesFiles ? ["'*:path:_files'"] : [];
    return `${nameOf(command)}() {\n  _arguments -s -S ${[...specs, ...files].join(continued)}\n}`;
  }
  const names = command.commands.map(({ name, summary }) => `'${name}:${escape(summary)}'`);
  const dispatch = command.commands.map((child) => `      (${child.name}) ${nameOf(child)} ;;`);
  return `${nameOf(command)}() {
  local curcontext=$curcontext state line
  _arguments -C ${[...specs, "'1: :->command'", "'*:: :->argument'"].join(continued)}
  case $state in
  (command)
    local -a commands=(
      ${names.join('\n      ')}
    )
    _describe -t commands command commands
    ;;
  (argument)
    case $line[1] in
${dispatch.join('\n')}
    esac
    ;;
  esac
}`;
}

const continued = ' \\\n    ';

const nameOf = ({ path }: CompletedCommand): string =>
  path === '' ? '_rolecall' : `_rolecall_${path.replaceAll(/[ -]/g, '_')}`;

function specOf({ flags, description, value }: CompletedOption): string {
  const text = `[${escape(description)}]${valueOf(value)}`;
  // Those that may be repeated are not told apart: offered once more they do no harm.
  const [first = ''] = flags;
  if (flags.length === 1) return `'${first}${text}'`;
  return `'(${flags.join(' ')})'{${flags.join(',')}}'${text}'`;
}

function valueOf(value: CompletedOption['value']): string {
  if (value === undefined) return '';
  if (value === 'text') return ':value: ';
  return value === 'files' ? ':file:_files' : `:value:(${value.choices.join(' ')})`;
}

/** For a text between single quotes in a specification, in which brackets and colons have a meaning. */
function escape(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, String.raw`\$&`).replaceAll("'", String.raw`'\''`);
}
