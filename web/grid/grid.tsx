import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Copying } from './copying.ts';
import { Dragging } from './dragging.ts';
import { GridHeader } from './grid-header.tsx';
import { pressKey } from './grid-keys.ts';
import { type GridModel, headerHeight, outOfSight, rowHeight } from './grid-model.ts';
import { GridRow } from './grid-row.tsx';
import { RowKeys } from './row-keys.ts';
import { Scroller } from './scroller.ts';

interface GridProps {
  readonly model: GridModel;
  readonly copying: Copying;
  /** Gets the scroller, for what else goes to a cell. */
  readonly onScroller: (scroller: Scroller) => void;
}

/** Rows and columns of which only those are in the document that can be seen, and the active cell. */
export function Grid({ model, copying, onScroller }: GridProps) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const takesFocus = useRef(false);
  const rowKeys = useMemo(() => new RowKeys(), []);
  // Asked before the document changes: the element with the focus may go, or become that of another row.
  const hadFocus = layer.current?.contains(document.activeElement) === true;
  const scroller = useMemo((): { current: Scroller | undefined } => ({ current: undefined }), []);
  useEffect(() => {
    if (place.current === null) return undefined;
    const made = new Scroller(model, place.current);
    scroller.current = made;
    onScroller(made);
    return made.observe();
  }, []);
  const active = model.active.value;
  useLayoutEffect(() => {
    const cell = layer.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (cell && (takesFocus.current || hadFocus) && cell !== document.activeElement)
      cell.focus({ preventScroll: true });
    takesFocus.current = false;
  });
  // A new order begins at its first row.
  const { shown } = model.arrangement;
  useEffect(() => {
    model.go({ row: Math.min(model.active.value.row, 0), column: model.active.value.column });
    scroller.current?.showAt({ top: 0, left: model.view.value.left });
  }, [shown.value]);

  const show = () => {
    takesFocus.current = true;
    scroller.current?.show(model.active.value);
  };
  /** @returns whether there is a cell */
  const pointAt = (event: MouseEvent, isExtending: boolean): boolean => {
    const cell = scroller.current?.cellAt(event.clientX, event.clientY);
    if (cell === undefined || cell.row === -1 || cell.row >= model.shownCount.value) return false;
    takesFocus.current = true;
    const last = model.columns.length - 1;
    if (cell.column !== -1) model.go(cell, { isExtending });
    else {
      const row = isExtending ? model.anchor.value.row : cell.row;
      model.select({ row, column: 0 }, { row: cell.row, column: last });
    }
    return true;
  };
  const dragging = useMemo(
    () =>
      new Dragging(({ clientX, clientY }) => {
        const cell = scroller.current?.cellAt(clientX, clientY);
        if (cell === undefined) return;
        model.go({ row: Math.max(0, cell.row), column: cell.column }, { isExtending: true });
        show();
      }),
    [],
  );
  useEffect(
    () => () => {
      dragging.end();
    },
    [],
  );
  const { view, rows, offsets, scale, rowNumberWidth, version } = model;
  const places = withActive(rows.value, active.row < 0 ? undefined : active.row);
  const columns = withActive(model.visibleColumns.value, active.column);
  rowKeys.show(rows.value);
  return (
    <div
      class="grid-scroll"
      ref={place}
      onScroll={() => {
        scroller.current?.scrolled();
      }}
    >
      <div
        class="grid"
        ref={layer}
        role="grid"
        aria-label="Rows"
        aria-describedby={`${id}-keys`}
        aria-multiselectable="true"
        aria-rowcount={model.shownCount.value + 1}
        aria-colcount={model.columns.length + 1}
        data-version={version.value}
        style={{ width: `${view.value.width}px`, height: `${view.value.height}px` }}
        onKeyDown={(event) => {
          const copy = () => {
            void copying.copy(model, 'tsv');
          };
          if (pressKey(model, event, { copy, show })) event.preventDefault();
        }}
        onMouseDown={(event) => {
          // The grid gives the focus to its cells itself, and selects no text.
          if (event.button === 0) event.preventDefault();
        }}
        onPointerDown={(event) => {
          if (event.pointerType !== 'mouse' || event.button !== 0) return;
          if (pointAt(event, event.shiftKey)) dragging.begin(event, event.currentTarget);
        }}
        onPointerMove={(event) => {
          dragging.move(event);
        }}
        onLostPointerCapture={() => {
          dragging.end();
        }}
        onClick={(event) => {
          // A finger that scrolls does not select: a tap does.
          if (event instanceof PointerEvent && event.pointerType !== 'mouse') pointAt(event, false);
        }}
        onDblClick={(event) => {
          const cell = scroller.current?.cellAt(event.clientX, event.clientY);
          if (cell !== undefined && cell.row >= 0 && cell.column >= 0) model.isViewing.value = true;
        }}
      >
        <GridHeader model={model} columns={columns} />
        {places.map((row) => (
          <GridRow key={rowKeys.of(row)} model={model} place={row} columns={columns} top={topOf(row)} />
        ))}
      </div>
      <div
        class="grid-space"
        style={{
          width: `${rowNumberWidth.value + (offsets.value.at(-1) ?? 0)}px`,
          height: `${headerHeight + scale.value.height}px`,
        }}
      />
      <span id={`${id}-keys`} hidden>
        Arrow keys move, with Shift they select. Enter shows the whole value, or sorts in the row of names. Shift with
        left and right in the row of names makes a column narrower and wider. Control and C copies.
      </span>
    </div>
  );

  /** Where a row is, in pixels from the top of the grid. */
  function topOf(row: number): number {
    const isSeen = row >= rows.value.first && row < rows.value.end;
    return isSeen ? headerHeight + row * rowHeight - view.value.top : outOfSight;
  }
}

/** The active one is always in the document, so that it keeps the focus. */
function withActive({ first, end }: { first: number; end: number }, active: number | undefined): number[] {
  const seen = Array.from({ length: Math.max(0, end - first) }, (_none, index) => first + index);
  return active === undefined || (active >= first && active < end) ? seen : [...seen, active];
}
