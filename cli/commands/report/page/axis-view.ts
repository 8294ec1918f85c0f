import { byId, make } from './dom.ts';
import { place, type Scale, ticksOf } from './scale.ts';
import { showDate, showTime } from './time.ts';

/** Draws the axis, and the lines that continue it through every row. */
export function drawAxis(scale: Scale, at: number, isNow: boolean): void {
  const axis = byId('axis');
  const width = axis.clientWidth === 0 ? 700 : axis.clientWidth;
  const ticks = ticksOf(scale, Math.max(2, Math.floor(width / 76)));
  const mark = place(scale, at);
  const isShown = mark >= 0 && mark <= 100;
  // Leaves out a label that the mark of the moment would cover.
  const labels = ticks.filter((tick) => tick.place < 97 && !(isShown && Math.abs(tick.place - mark) * width < 5200));
  axis.replaceChildren(
    ...labels.map((tick) => placed(make('span', 'tick', tick.label), tick.place)),
    ...(isShown ? [placed(make('span', 'now', isNow ? 'now' : showDate(at)), mark)] : []),
  );
  axis.title = `${showTime(scale.from)} to ${showTime(scale.to)} UTC`;
  const root = document.documentElement.style;
  root.setProperty('--ticks', ticks.map((tick) => line('--line', tick.place)).join(', ') || 'none');
  root.setProperty('--now', isShown ? `${mark}%` : '-10%');
  root.setProperty('--moment', String(mark / 100));
  root.setProperty('--moment-opacity', isShown ? '0.3' : '0');
}

function placed(element: HTMLElement, percent: number): HTMLElement {
  element.style.left = `${percent}%`;
  return element;
}

function line(colour: string, percent: number): string {
  return `linear-gradient(var(${colour}), var(${colour})) ${percent}% 0 / 1px 100% no-repeat`;
}
