import { type Palette, visible } from '@rolecall/reconcile';
import { counted } from '../../output/words.ts';
import type { Finding, Status } from './finding.ts';

const marks: Readonly<Record<Status, string>> = { ok: 'ok', warning: 'warn', failure: 'FAIL', skipped: '-' };

/** The findings, a line each with its remedy below, and a sentence that sums them up. */
export function renderFindings(findings: readonly Finding[], palette: Palette): string {
  const paints: Readonly<Record<Status, (text: string) => string>> = {
    ok: palette.create,
    warning: palette.change,
    failure: palette.remove,
    skipped: palette.dim,
  };
  const widest = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(6 + widest + 2);
  const lines = findings.flatMap(({ check, status, message, remedy }) => [
    `${paints[status](marks[status].padEnd(4))}  ${check.padEnd(widest)}  ${visible(message)}`,
    ...(remedy === undefined ? [] : [`${indent}${palette.dim(visible(remedy))}`]),
  ]);
  return [...lines, '', sumUp(findings)].join('\n');
}

function sumUp(findings: readonly Finding[]): string {
  const failures = findings.filter(({ status }) => status === 'failure').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  if (failures === 0 && warnings === 0) return 'All is well.';
  return `${counted(failures, 'failure')}, ${counted(warnings, 'warning')}.`;
}
