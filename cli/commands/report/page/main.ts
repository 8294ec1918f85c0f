import type { ReportData } from '../report-data.ts';
import { readFilter, writeFilter } from './address.ts';
import { drawAxis } from './axis-view.ts';
import { showFilter, startControls } from './controls.ts';
import { byId, make } from './dom.ts';
import { type Filter, type Group, groupsOf, sortGroups } from './filter.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { drawList, drawRows, moveByArrows } from './list-view.ts';
import { csvOfRows, rowsOf } from './rows.ts';
import { type Scale, scaleOf } from './scale.ts';
import { countPeople, drawTiles, watchTiles } from './summary.ts';
import { startTheme } from './theme.ts';
import { showTime } from './time.ts';

/** The page, of all people and data sources, as its filter has it. */
class AccessPage {
  readonly #data: ReportData;
  readonly #lanes: Lanes;
  readonly #bounds: Scale;
  readonly #initial: Filter;
  #filter: Filter;
  #counted = { at: Number.NaN, counts: {} as Record<string, number> };

  constructor(data: ReportData) {
    this.#data = data;
    this.#lanes = createLanes(data);
    this.#bounds = boundsOf(data);
    this.#initial = {
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
    this.#filter = readFilter(location.hash, this.#initial);
  }

  start(): void {
    byId('subtitle').textContent = `${this.#data.workspace} · read ${showTime(this.#data.readAt)} UTC`;
    startControls(this.#data, (part) => {
      this.#change(part);
    });
    watchTiles(
      () => this.#filter.state,
      (state) => {
        this.#change({ state });
      },
    );
    this.#watchButtons();
    this.#watchWindow();
    watchKeys();
    moveByArrows();
    byId('filters', HTMLDetailsElement).open = matchMedia('(min-width: 60rem)').matches;
    this.#draw();
  }

  /** @param isWhole draws everything, for paper has no button for more */
  #draw(isWhole = false): void {
    const filter = this.#filter;
    const [data, lanes] = [this.#data, this.#lanes];
    const groups = this.#groups();
    const isTable = filter.view === 'table';
    byId('report').dataset['view'] = isWhole && !isTable ? 'lines' : filter.view;
    const scale = scaleOf(filter.span, filter.at, filter.shift, this.#bounds);
    if (this.#counted.at !== filter.at) this.#counted = { at: filter.at, counts: countPeople(data, lanes, filter.at) };
    drawTiles(this.#counted.counts, filter);
    drawAxis(scale, filter.at, filter.at === data.at);
    const drawing = { data, lanes, at: filter.at, scale, by: filter.by };
    const pick = (index: number): void => {
      this.#pick(index);
    };
    if (isTable) drawRows(rowsOf(groups, data, filter.at), isWhole);
    else drawList({ groups, drawing, isFolded: filter.view === 'folded', isWhole }, pick);
    byId('status').textContent = this.#countShown(groups.length);
    byId('reset').hidden = writeFilter(filter, this.#withoutFilter()) === '';
    showFilter(filter);
  }

  #groups(): readonly Group[] {
    return sortGroups(groupsOf(this.#filter, this.#data, this.#lanes), this.#filter, this.#data);
  }

  /** Returns the filter that remains when a person takes it back: the way in which the page shows its contents. */
  #withoutFilter(): Filter {
    const { by, span, shift, view, sort } = this.#filter;
    return { ...this.#initial, by, span, shift, view, sort };
  }

  #countShown(shown: number): string {
    const isByPerson = this.#filter.by === 'person';
    const all = isByPerson ? this.#data.people.length : this.#data.dataSources.length;
    const what = isByPerson ? 'people' : 'data sources';
    const number = shown.toLocaleString('en');
    return shown === all ? `${number} ${what}` : `${number} of ${all.toLocaleString('en')} ${what}`;
  }

  #change(part: Partial<Filter>): void {
    this.#filter = { ...this.#filter, ...part };
    const hash = writeFilter(this.#filter, this.#initial);
    history.replaceState(null, '', hash === '' ? location.pathname + location.search : `#${hash}`);
    this.#draw();
  }

  /** Shows one person or data source alone, or all again. */
  #pick(index: number): void {
    const isByPerson = this.#filter.by === 'person';
    const name = (isByPerson ? this.#data.people[index]?.username : this.#data.dataSources[index]?.alias) ?? '';
    const field = isByPerson ? 'person' : 'dataSource';
    this.#change({ [field]: this.#filter[field] === name ? '' : name });
    document.querySelector<HTMLElement>('#groups .pick')?.focus();
  }

  #watchButtons(): void {
    byId('earlier').addEventListener('click', () => {
      this.#change({ shift: this.#filter.shift - 1 });
    });
    byId('later').addEventListener('click', () => {
      this.#change({ shift: this.#filter.shift + 1 });
    });
    byId('now').addEventListener('click', () => {
      this.#change({ at: this.#initial.at, shift: 0 });
    });
    byId('reset').addEventListener('click', () => {
      this.#change({ ...this.#withoutFilter(), shift: this.#initial.shift });
      byId('search', HTMLInputElement).value = '';
      byId('search').focus();
    });
    byId('csv').addEventListener('click', () => {
      download('access.csv', csvOfRows(rowsOf(this.#groups(), this.#data, this.#filter.at)));
    });
  }

  #watchWindow(): void {
    addEventListener('beforeprint', () => {
      this.#draw(true);
    });
    addEventListener('afterprint', () => {
      this.#draw();
    });
    addEventListener('hashchange', () => {
      this.#filter = readFilter(location.hash, this.#initial);
      this.#draw();
    });
    let width = innerWidth;
    addEventListener('resize', () => {
      // Phones report a new height whenever a keyboard opens.
      if (width !== innerWidth) this.#draw();
      width = innerWidth;
    });
  }
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

startTheme();
// The page's own data, which the command that made it wrote.
new AccessPage(JSON.parse(byId('data').textContent) as ReportData).start();
