import type { Filter, Sort, StateFilter, View } from './filter.ts';
import type { Span } from './scale.ts';

const states: readonly StateFilter[] = ['', 'active', 'upcoming', 'ended', 'locked', 'ending', 'none'];
const spans: readonly Span[] = ['7', '30', '90', '365', 'all'];
const views: readonly View[] = ['lines', 'folded', 'table'];
const sorts: readonly Sort[] = ['name', 'most', 'end'];

/** Reads the filter from the part of an address after `#`; it ignores what makes no sense there. */
export function readFilter(hash: string, start: Filter): Filter {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const at = Date.parse(fields.get('at') ?? '');
  return {
    text: fields.get('q') ?? start.text,
    person: fields.get('person') ?? start.person,
    dataSource: fields.get('data-source') ?? start.dataSource,
    role: fields.get('role') ?? start.role,
    state: states.find((state) => state === fields.get('state')) ?? start.state,
    by: fields.get('by') === 'data-source' ? 'dataSource' : start.by,
    span: spans.find((span) => span === fields.get('span')) ?? start.span,
    shift: Number(fields.get('shift') ?? start.shift) || 0,
    at: Number.isNaN(at) ? start.at : at,
    view: views.find((view) => view === fields.get('view')) ?? start.view,
    sort: sorts.find((sort) => sort === fields.get('sort')) ?? start.sort,
  };
}

/** The part of an address from which `readFilter` reads the same filter: the differences from the start. */
export function writeFilter(filter: Filter, start: Filter): string {
  const fields = new URLSearchParams();
  const add = (name: string, value: string, usual: string): void => {
    if (value !== usual) fields.set(name, value);
  };
  add('q', filter.text, start.text);
  add('person', filter.person, start.person);
  add('data-source', filter.dataSource, start.dataSource);
  add('role', filter.role, start.role);
  add('state', filter.state, start.state);
  add('by', filter.by === 'dataSource' ? 'data-source' : 'person', 'person');
  add('span', filter.span, start.span);
  add('shift', String(filter.shift), '0');
  add('at', new Date(filter.at).toISOString(), new Date(start.at).toISOString());
  add('view', filter.view, start.view);
  add('sort', filter.sort, start.sort);
  return fields.toString();
}
