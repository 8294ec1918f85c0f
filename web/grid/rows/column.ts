import type { QueryResult } from '@rolecall/api';

/** A column of a result. */
export type Column = Extract<QueryResult, { type: 'query' }>['detail']['columns'][number];

/** The cells of a row; null is NULL. */
export type Row = readonly (string | null)[];
