import type { RefObject, TargetedEvent } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Copying } from './copying.ts';
import { GridHeader } from './grid-header.tsx';
import { pressKey } from './grid-keys.ts';
import { type GridModel, headerHeight, outOfSight, rowHeight } from './grid-model.ts';
import { GridPointer } from './grid-pointer.ts';
import { GridRow } from './grid-row.tsx';
import { RowKeys } from './rows/row-keys.ts';
import { Scroller } from './scroller.ts';

interface GridProps {
  readonly model: GridModel;
  readonly copying: Copying;
  /** Gets the scroller, for what else goes to a cell. */
  readonly onScroller: (scroller: Scroller) => void;
}

/** Parts of the grid that exist once it is in the document. */
interface Parts {
  readonly scroller: Scroller;
  readonly pointer: GridPointer;
}

/** Rows and columns of which only those are in the document that can be seen, and the active cell. */
export function Grid({ model, copying, onScroller }: GridProps) {
  const id = useId();
  const rowKeys = useMemo(() => new RowKeys(), []);
  const { layer, takeFocus } = useFocusOfActive();
  const { place, parts } = useParts(model, takeFocus, onScroller);
  const { view, offsets, scale, rowNumberWidth, version } = model;
  return (
    <div
      class="grid-scroll"
      ref={place}
      onScroll={() => {
        parts.current?.scroller.scrolled();
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
          const show = () => {
            takeFocus();
            parts.current?.scroller.show(model.active.value);
          };
          if (pressKey(model, event, { copy, show })) event.preventDefault();
        }}
        onMouseDown={(event) => {
          // The grid gives the focus to its cells itself, and selects no text.
          if (event.button === 0) event.preventDefault();
        }}
        {...pointerHandlers(parts)}
      >
        {drawCells(model, rowKeys)}
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
}

/** The row of names, and the rows that are seen. */
function drawCells(model: GridModel, rowKeys: RowKeys) {
  const { view, rows, active } = model;
  const { row, column } = active.value;
  const places = withActive(rows.value, row < 0 ? undefined : row);
  const columns = withActive(model.visibleColumns.value, column);
  rowKeys.show(rows.value);
  const topOf = (place: number): number => {
    const isSeen = place >= rows.value.first && place < rows.value.end;
    return isSeen ? headerHeight + place * rowHeight - view.value.top : outOfSight;
  };
  return (
    <>
      <GridHeader model={model} columns={columns} />
      {places.map((place) => (
        <GridRow key={rowKeys.of(place)} model={model} place={place} columns={columns} top={topOf(place)} />
      ))}
    </>
  );
}

/** Gives the focus to the active cell where another one had it, or where `takeFocus` was called before. */
function useFocusOfActive() {
  const layer = useRef<HTMLDivElement>(null);
  const wanted = useRef(false);
  // Asked before the document changes: the element with the focus may go, or become that of another row.
  const hadFocus = layer.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    const cell = layer.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (cell && (wanted.current || hadFocus) && cell !== document.activeElement) cell.focus({ preventScroll: true });
    wanted.current = false;
  });
  const takeFocus = () => {
    wanted.current = true;
  };
  return { layer, takeFocus };
}

/** Makes the parts that need the element, and shows the first row of a new order. */
function useParts(model: GridModel, takeFocus: () => void, onScroller: GridProps['onScroller']) {
  const place = useRef<HTMLDivElement>(null);
  const parts = useRef<Parts | undefined>(undefined);
  useEffect(() => {
    if (place.current === null) return undefined;
    const scroller = new Scroller(model, place.current);
    const pointer = new GridPointer(model, scroller, takeFocus);
    parts.current = { scroller, pointer };
    onScroller(scroller);
    const end = scroller.observe();
    return () => {
      pointer.release();
      end();
    };
  }, []);
  const shown = model.arrangement.shown.value;
  useEffect(() => {
    model.go({ row: Math.min(model.active.value.row, 0), column: model.active.value.column });
    parts.current?.scroller.showAt({ top: 0, left: model.view.value.left });
  }, [shown]);
  return { place, parts };
}

function pointerHandlers(parts: RefObject<Parts | undefined>) {
  return {
    onPointerDown: (event: TargetedEvent<HTMLElement, PointerEvent>) => {
      parts.current?.pointer.press(event, event.currentTarget);
    },
    onPointerMove: (event: PointerEvent) => {
      parts.current?.pointer.move(event);
    },
    onLostPointerCapture: () => {
      parts.current?.pointer.release();
    },
    onClick: (event: MouseEvent) => {
      parts.current?.pointer.tap(event);
    },
    onDblClick: (event: MouseEvent) => {
      parts.current?.pointer.open(event);
    },
  };
}

/** The active one is always in the document, so that it keeps the focus. */
function withActive({ first, end }: { first: number; end: number }, active: number | undefined): number[] {
  const seen = Array.from({ length: Math.max(0, end - first) }, (_none, index) => first + index);
  return active === undefined || (active >= first && active < end) ? seen : [...seen, active];
}
