import type { ReportData } from '../report-data.ts';
import { byId, make } from './dom.ts';
import type { Filter, StateFilter } from './filter.ts';
import type { Span } from './scale.ts';

/** Fills the controls with the available values, and calls back with each change. */
export function startControls(data: ReportData, onChange: (change: Partial<Filter>) => void): void {
  fill(
    'data-source',
    data.dataSources.map(({ alias }) => alias),
  );
  fill(
    'role',
    data.roles.map(({ name }) => name),
  );
  watchText('search', (text) => {
    onChange({ text });
  });
  watchText('person', (text) => {
    onChange({ person: data.people.some(({ username }) => username === text) ? text : '' });
  });
  // Only once the control has the focus: thousands of options take a while.
  byId('person').addEventListener(
    'focus',
    () => {
      fillPeople(data);
    },
    { once: true },
  );
  watchSelect('data-source', (dataSource) => {
    onChange({ dataSource });
  });
  watchSelect('role', (role) => {
    onChange({ role });
  });
  watchSelect('state', (state) => {
    onChange({ state: state as StateFilter });
  });
  watchRadios('by', (by) => {
    onChange({ by: by as Filter['by'] });
  });
  watchRadios('view', (view) => {
    onChange({ view: view as Filter['view'] });
  });
  watchSelect('sort', (sort) => {
    onChange({ sort: sort as Filter['sort'] });
  });
  watchRadios('span', (span) => {
    onChange({ span: span as Span, shift: 0 });
  });
  const moment = byId('moment', HTMLInputElement);
  moment.addEventListener('change', () => {
    const at = Date.parse(`${moment.value}Z`);
    if (!Number.isNaN(at)) onChange({ at, shift: 0 });
  });
}

/** Makes the controls show the filter. */
export function showFilter(filter: Filter): void {
  setValue('search', filter.text);
  setValue('person', filter.person);
  setValue('data-source', filter.dataSource);
  setValue('role', filter.role);
  setValue('state', filter.state);
  setValue('moment', new Date(filter.at).toISOString().slice(0, 16));
  check('by', filter.by);
  check('span', filter.span);
  check('view', filter.view);
  setValue('sort', filter.sort);
}

function setValue(id: string, value: string): void {
  const control = byId(id);
  if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return;
  // Leaves a field alone while the reader types in it.
  if (control.value !== value && control !== document.activeElement) control.value = value;
}

function check(name: string, value: string): void {
  for (const radio of document.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)) {
    radio.checked = radio.value === value;
  }
}

function fill(id: string, values: readonly string[]): void {
  byId(id).append(...[...new Set(values)].map((value) => make('option', '', value, { value })));
}

function fillPeople({ people }: ReportData): void {
  byId('people').append(...people.map(({ username, name }) => make('option', '', name, { value: username })));
}

function watchText(id: string, onText: (text: string) => void): void {
  const input = byId(id, HTMLInputElement);
  input.addEventListener('input', () => {
    onText(input.value.trim());
  });
}

function watchSelect(id: string, onValue: (value: string) => void): void {
  const select = byId(id, HTMLSelectElement);
  select.addEventListener('change', () => {
    onValue(select.value);
  });
}

function watchRadios(name: string, onValue: (value: string) => void): void {
  for (const radio of document.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)) {
    radio.addEventListener('change', () => {
      onValue(radio.value);
    });
  }
}
