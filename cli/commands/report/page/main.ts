import type { ReportData } from '../report-data.ts';
import { readFilter, writeFilter } from './address.ts';
import { drawAxis } from './axis-view.ts';
import { showFilter, startControls } from './controls.ts';
import { byId, make } from './dom.ts';
import { type Filter, groupsOf, sortGroups } from './filter.ts';
import { createLanes } from './lanes.ts';
import { drawList, drawRows, moveByArrows } from './list-view.ts';
import { csvOf, rowsOf } from './rows.ts';
import { type Scale, scaleOf } from './scale.ts';
import { countPeople, drawTiles, watchTiles } from './summary.ts';
import { startTheme } from './theme.ts';
import { showTime } from './time.ts';

startTheme();
// The page's own data, which the command that made it wrote.
start(JSON.parse(byId('data').textContent) as ReportData);

function start(data: ReportData): void {
  const lanes = createLanes(data);
  const bounds = boundsOf(data);
  const initial: Filter = {
    text: '',
    person: '',
    dataSource: '',
    role: '',
    state: '',
    by: 'person',
    span: '90',
    shift: 0,
    at: data.at,
    view: 'lines',
    sort: 'name',
  };
  let filter = readFilter(location.hash, initial);
  let counted = { at: Number.NaN, counts: {} as Record<string, number> };
  byId('subtitle').textContent = `${data.workspace} · read ${showTime(data.readAt)} UTC`;

  /** @param isWhole draws everything, for paper has no button for more */
  function draw(isWhole = false): void {
    const groups = sortGroups(groupsOf(filter, data, lanes), filter, data);
    const isTable = filter.view === 'table';
    byId('report').dataset['view'] = isWhole && !isTable ? 'lines' : filter.view;
    const scale = scaleOf(filter.span, filter.at, filter.shift, bounds);
    if (counted.at !== filter.at) counted = { at: filter.at, counts: countPeople(data, lanes, filter.at) };
    drawTiles(counted.counts, filter);
    drawAxis(scale, filter.at, filter.at === data.at);
    const drawing = { data, lanes, at: filter.at, scale, by: filter.by };
    if (isTable) drawRows(rowsOf(groups, data, filter.at), isWhole);
    else drawList({ groups, drawing, isFolded: filter.view === 'folded', isWhole }, pick);
    byId('status').textContent = describe(groups.length);
    byId('reset').hidden =
      writeFilter(filter, {
        ...initial,
        by: filter.by,
        span: filter.span,
        shift: filter.shift,
        view: filter.view,
        sort: filter.sort,
      }) === '';
    showFilter(filter);
  }

  function describe(shown: number): string {
    const all = filter.by === 'person' ? data.people.length : data.dataSources.length;
    const what = filter.by === 'person' ? 'people' : 'data sources';
    const number = shown.toLocaleString('en');
    return shown === all ? `${number} ${what}` : `${number} of ${all.toLocaleString('en')} ${what}`;
  }

  function change(part: Partial<Filter>): void {
    filter = { ...filter, ...part };
    const hash = writeFilter(filter, initial);
    history.replaceState(null, '', hash === '' ? location.pathname + location.search : `#${hash}`);
    draw();
  }

  /** Shows one person or data source alone, or all again. */
  function pick(index: number): void {
    const name = (filter.by === 'person' ? data.people[index]?.username : data.dataSources[index]?.alias) ?? '';
    const field = filter.by === 'person' ? 'person' : 'dataSource';
    change({ [field]: filter[field] === name ? '' : name });
    document.querySelector<HTMLElement>('#groups .pick')?.focus();
  }

  startControls(data, change);
  watchTiles(
    () => filter.state,
    (state) => {
      change({ state });
    },
  );
  watchButtons(change, () => filter, initial);
  byId('csv').addEventListener('click', () => {
    const groups = sortGroups(groupsOf(filter, data, lanes), filter, data);
    download('access.csv', csvOf(rowsOf(groups, data, filter.at)));
  });
  addEventListener('beforeprint', () => {
    draw(true);
  });
  addEventListener('afterprint', () => {
    draw();
  });
  watchKeys();
  moveByArrows();
  addEventListener('hashchange', () => {
    filter = readFilter(location.hash, initial);
    draw();
  });
  let width = innerWidth;
  addEventListener('resize', () => {
    // Phones report a new height whenever a keyboard opens.
    if (width !== innerWidth) draw();
    width = innerWidth;
  });
  byId('filters', HTMLDetailsElement).open = matchMedia('(min-width: 60rem)').matches;
  draw();
}

function watchButtons(change: (part: Partial<Filter>) => void, current: () => Filter, initial: Filter): void {
  byId('earlier').addEventListener('click', () => {
    change({ shift: current().shift - 1 });
  });
  byId('later').addEventListener('click', () => {
    change({ shift: current().shift + 1 });
  });
  byId('now').addEventListener('click', () => {
    change({ at: initial.at, shift: 0 });
  });
  byId('reset').addEventListener('click', () => {
    const { by, span, view, sort } = current();
    change({ ...initial, by, span, view, sort });
    byId('search', HTMLInputElement).value = '';
    byId('search').focus();
  });
}

/** Gives a file to the browser, made here: the page may load and send nothing. */
function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  make('a', '', '', { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** A slash goes to the search, as on many pages; Escape empties it. */
function watchKeys(): void {
  const search = byId('search', HTMLInputElement);
  addEventListener('keydown', (event) => {
    const isTyping =
      document.activeElement instanceof HTMLInputElement || document.activeElement instanceof HTMLSelectElement;
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === 'Escape' && document.activeElement === search) {
      search.value = '';
      search.dispatchEvent(new Event('input'));
    }
  });
}

/** The first start and the last end of all permissions; roles have no end, and begin at some time. */
function boundsOf({ permissions, roles }: ReportData): Scale {
  const since = roles.flatMap(({ people, dataSources }) => [...people, ...dataSources].map(([, time]) => time));
  let from = Infinity;
  let to = -Infinity;
  for (const time of since) if (time > 0) from = Math.min(from, time);
  for (const [, , startsAt, expiresAt] of permissions) {
    from = Math.min(from, startsAt);
    to = Math.max(to, expiresAt);
  }
  return { from, to };
}
