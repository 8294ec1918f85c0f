import type { DataSourceReference } from '@rolecall/api';
import type { Denial, Grant } from './reach.ts';

/** Tells a person why they do not reach a data source any more. */
export function describeDenial(denial: Denial, { alias, name }: Omit<DataSourceReference, 'id'>): string {
  const dataSource = alias ?? name;
  switch (denial.reason) {
    case 'access_ended': {
      const { grant, next } = denial;
      const again = next === undefined ? '' : `; it begins again at ${toSecond(next.from)}`;
      return `your access to ${dataSource} ended at ${toSecond(grant.until)} with ${nameOf(grant)}${again}`;
    }
    case 'access_upcoming':
      return `your access to ${dataSource} begins at ${toSecond(denial.grant.from)} with ${nameOf(denial.grant)}`;
    case 'not_granted':
      return `your access to ${dataSource} was taken away: no role and no permission gives it now`;
    case 'data_source_deleted':
      return `the data source ${dataSource} was deleted`;
    case 'person_locked':
      return 'your account is locked';
    case 'person_deleted':
      return 'your account was deleted';
  }
}

function nameOf({ through, id, name }: Grant): string {
  return through === 'role' ? `the time in the role ${name}` : `the permission ${id}`;
}

function toSecond(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
