import { useEffect, useRef, useState } from 'preact/hooks';

import { t } from '~/text';
import { Icon } from '~/ui';
import { useVisibleRows } from '~/ui/rows';
import type { Editor } from './editor';
import { keyOf, type LayerRow, rowsOf, typedAt } from './layer-rows';
import type { Layer } from './messages';
import { nameOf } from './names';

const rowHeight = 28;
// After such a pause, in milliseconds, typing begins anew.
const typingPause = 700;

/** Layers is the tree of the page's elements. */
export default function Layers({ editor }: { editor: Editor }) {
  const [toggled, setToggled] = useState<Record<string, boolean>>({});
  const [current, setCurrent] = useState('');
  const picked = editor.picked.value && keyOf(editor.picked.value.trail);
  const others = editor.others.value.map(({ trail }) => keyOf(trail));
  useEffect(() => {
    editor.look(true);
    return () => {
      editor.send({ type: 'hover', trail: [], tag: '' });
      editor.look(false);
    };
  }, []);
  const rows = rowsOf(editor.layers.value ?? [], toggled, picked === null ? [] : [picked, ...others]);
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === current),
  );
  const { box, from, to, bring } = useVisibleRows(rows.length, rowHeight);
  useEffect(() => {
    if (picked === null) return;
    setCurrent(picked);
    bring(rows.findIndex(({ key }) => key === picked));
  }, [picked, rows.length]);

  const go = (index: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (!row) return;
    setCurrent(row.key);
    bring(rows.indexOf(row));
    editor.send({ type: 'hover', trail: row.layer.trail, tag: row.layer.tag });
  };
  const toggle = (row: LayerRow, open = !row.open) => {
    if (row.open !== null) setToggled({ ...toggled, [row.key]: open });
  };
  const choose = ({ layer: { trail, tag } }: LayerRow, also: boolean) => {
    setCurrent(keyOf(trail));
    editor.select(trail, tag, also);
  };
  const typing = useTyping((typed) =>
    go(
      typedAt(
        rows.map(({ layer }) => labelOf(layer)),
        at,
        typed,
      ),
    ),
  );
  const onKey = (event: KeyboardEvent) => {
    const row = rows[at];
    if (row && onLayerKey(event, { row, rows, at, go, toggle, choose, typing, editor })) event.preventDefault();
  };
  const drag = useDrag(editor, rows);
  return (
    <div
      ref={box}
      class="tree"
      role="tree"
      tabIndex={0}
      aria-label={t.preview.edit.layers}
      aria-multiselectable="true"
      aria-activedescendant={at >= from && at < to && rows[at] ? idOf(rows[at].key) : undefined}
      onKeyDown={onKey}
      onPointerLeave={() => editor.send({ type: 'hover', trail: [], tag: '' })}
    >
      <div class="tree__all" role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(from, to).map((row, index) => (
          <Row
            key={row.key}
            row={row}
            top={(from + index) * rowHeight}
            isActive={rows[at]?.key === row.key}
            isPicked={row.key === picked || others.includes(row.key)}
            line={drag.over?.key === row.key ? (drag.over.after ? 'after' : 'before') : null}
            hands={{
              onClick: (event: MouseEvent) => choose(row, event.shiftKey || event.ctrlKey || event.metaKey),
              onDblClick: () => toggle(row),
              onPointerEnter: () => editor.send({ type: 'hover', trail: row.layer.trail, tag: row.layer.tag }),
              ...drag.handsOf(row),
            }}
            onToggle={() => toggle(row)}
          />
        ))}
      </div>
    </div>
  );
}

const idOf = (key: string) => `layer-${key}`;

function labelOf({ name, tag }: Layer): string {
  return name || nameOf(tag);
}

interface RowProps {
  row: LayerRow;
  top: number;
  isActive: boolean;
  isPicked: boolean;
  /** line is where a dragged layer would be put. */
  line: 'before' | 'after' | null;
  hands: Record<string, unknown>;
  onToggle: () => void;
}

function Row({ row, top, isActive, isPicked, line, hands, onToggle }: RowProps) {
  const { layer, key, open, position, size } = row;
  const shadow = {
    before: 'inset 0 var(--stroke) var(--accent)',
    after: 'inset 0 calc(-1 * var(--stroke)) var(--accent)',
  };
  return (
    <div
      id={idOf(key)}
      class={`tree__row ${isActive ? 'tree__row--active' : ''} ${isPicked ? 'tree__row--shown' : ''}`}
      role="treeitem"
      tabIndex={-1}
      aria-level={layer.depth + 1}
      aria-posinset={position}
      aria-setsize={size}
      aria-expanded={open ?? undefined}
      aria-selected={isPicked}
      draggable
      style={{
        top: `${top}px`,
        height: `${rowHeight}px`,
        paddingInlineStart: `calc(var(--space-2) + ${Math.min(layer.depth, 12)} * var(--space-3))`,
        boxShadow: line ? shadow[line] : undefined,
      }}
      {...hands}
    >
      <span
        class={`tree__twist ${open ? 'tree__twist--open' : ''}`}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          onToggle();
        }}
      >
        {open !== null && <Icon name="next" />}
      </span>
      <span class="tree__name">
        {labelOf(layer)} <span class="faint small">{layer.says}</span>
      </span>
    </div>
  );
}

// useTyping collects what is typed without a pause.
function useTyping(onType: (typed: string) => void): (key: string) => void {
  const typed = useRef({ text: '', at: 0 });
  return (key) => {
    const now = performance.now();
    const text = now - typed.current.at > typingPause ? key : typed.current.text + key;
    typed.current = { text, at: now };
    onType(text);
  };
}

interface Hands {
  row: LayerRow;
  rows: LayerRow[];
  at: number;
  go: (index: number) => void;
  toggle: (row: LayerRow, open?: boolean) => void;
  choose: (row: LayerRow, also: boolean) => void;
  typing: (key: string) => void;
  editor: Editor;
}

// onLayerKey does what a key of the tree is for. It reports whether it is for anything.
function onLayerKey(event: KeyboardEvent, { row, rows, at, go, toggle, choose, typing, editor }: Hands): boolean {
  const { key } = event;
  const isMod = event.ctrlKey || event.metaKey;
  if (event.altKey) {
    if (key !== 'ArrowUp' && key !== 'ArrowDown') return false;
    editor.arrange(key === 'ArrowUp' ? 'earlier' : 'later');
    return true;
  }
  if (key === 'Enter' || key === ' ') choose(row, isMod || event.shiftKey);
  else if (isMod && key.toLowerCase() === 'd') editor.arrange('duplicate');
  else if (isMod) return false;
  else if (key === 'ArrowDown') go(at + 1);
  else if (key === 'ArrowUp') go(at - 1);
  else if (key === 'Home') go(0);
  else if (key === 'End') go(rows.length - 1);
  else if (key === 'ArrowRight') row.open === false ? toggle(row, true) : row.open && go(at + 1);
  else if (key === 'ArrowLeft') row.open ? toggle(row, false) : go(outerOf(rows, at));
  else if (key === 'Delete') editor.arrange('delete');
  else if (key.length === 1) typing(key);
  else return false;
  return true;
}

function outerOf(rows: LayerRow[], at: number): number {
  const depth = rows[at]!.layer.depth;
  const outer = rows.slice(0, at).findLastIndex(({ layer }) => layer.depth < depth);
  return outer < 0 ? at : outer;
}

// useDrag moves a layer beside one of its siblings.
function useDrag(editor: Editor, rows: LayerRow[]) {
  const [over, setOver] = useState<{ key: string; after: boolean } | null>(null);
  const dragged = useRef<LayerRow | null>(null);
  const outer = (row: LayerRow) => keyOf(row.layer.trail.slice(0, -1));
  const handsOf = (row: LayerRow) => ({
    onDragStart: (event: DragEvent) => {
      dragged.current = row;
      event.dataTransfer?.setData('application/x-atelier-layer', row.key);
    },
    onDragOver: (event: DragEvent) => {
      const from = dragged.current;
      if (!from || from.key === row.key || outer(from) !== outer(row)) return setOver(null);
      event.preventDefault();
      const { top, height } = (event.currentTarget as Element).getBoundingClientRect();
      setOver({ key: row.key, after: event.clientY > top + height / 2 });
    },
    onDragEnd: () => {
      dragged.current = null;
      setOver(null);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      const from = rows.find(({ key }) => key === dragged.current?.key);
      if (from && over)
        editor.send({
          type: 'drop',
          from: from.layer.trail,
          tag: from.layer.tag,
          to: row.layer.trail,
          over: row.layer.tag,
          after: over.after,
        });
      dragged.current = null;
      setOver(null);
    },
  });
  return { over, handsOf };
}
