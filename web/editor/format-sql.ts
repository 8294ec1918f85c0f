import type { DataSourceType } from '@rolecall/api';
import { formatDialect, mariadb, mysql, postgresql, sqlite } from 'sql-formatter';

const dialects = { postgresql, mysql, mariadb, sqlite };

/**
 * Lays out SQL.
 *
 * @throws Error with the place, if the text cannot be read as SQL of the dialect
 */
export function formatSql(text: string, type: DataSourceType): string {
  return formatDialect(text, { dialect: dialects[type], keywordCase: 'preserve', linesBetweenQueries: 1 });
}
