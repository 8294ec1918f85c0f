import type { DataSourceReference } from '@rolecall/api';
import type { Denial } from './reach.ts';

/** Tells a person why they do not reach a data source any more. */
export function describeDenial(denial: Denial, { alias, name }: Omit<DataSourceReference, 'id'>): string {
  const dataSource = alias ?? name;
  switch (denial.reason) {
    case 'permission_ended': {
      const at = new Date(denial.grant.until).toISOString().replace(/\.\d+Z$/, 'Z');
      return `your access to ${dataSource} ended at ${at} with the permission ${denial.grant.id}`;
    }
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
