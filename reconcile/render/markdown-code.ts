import { visible } from './visible.ts';

/**
 * A code span that shows the text as it is and that nothing in the text can end. GitHub and GitLab make no links,
 * mentions and references of what is code.
 */
export function code(text: string): string {
  const shown = visible(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  // A span needs something in it, and a blank keeps a backtick at either end apart from the fence.
  const padded = shown === '' || /^[` ]|[` ]$/.test(shown) ? ` ${shown} ` : shown;
  return `${fence}${padded}${fence}`;
}

/**
 * A row of a table. A pipe must be escaped in a cell even within code, and backslashes right before it are doubled so
 * that they do not undo that; they stay doubled where they are shown, the one case in which a cell differs from its text.
 */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map(escapePipes).join(' | ')} |`;
}

function escapePipes(cell: string): string {
  return cell.replace(/\\*\|/g, (match) => `${'\\\\'.repeat(match.length - 1)}\\|`);
}
