import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { browserStorage } from '~/storage';
import { t } from '~/text';

interface SplitProps {
  /** name identifies the first pane, whose width is stored under it. */
  name: string;
  label: string;
  /** initial, min and max are the first pane's width in percent. */
  initial: number;
  min?: number;
  max?: number;
  first: ComponentChildren;
  second: ComponentChildren;
  /** shown selects the visible panes; a hidden pane keeps its state. */
  shown?: 'both' | 'first' | 'second';
}

/**
 * Split shows two panes side by side. The pointer or the arrow keys move the divider, and
 * its position is stored. If one pane is null, the other takes its place.
 */
export function Split({ name, label, initial, min = 15, max = 85, first, second, shown = 'both' }: SplitProps) {
  const memory = `atelier.split.${name}`;
  const [share, setShare] = useState(() => clamp(Number(browserStorage.text(memory)) || initial, min, max));
  const root = useRef<HTMLDivElement>(null);
  const set = (value: number) => {
    const next = clamp(value, min, max);
    setShare(next);
    browserStorage.setText(memory, String(next));
  };
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    handle.setPointerCapture(event.pointerId);
    handle.dataset.dragging = '';
    const box = root.current!.getBoundingClientRect();
    const move = (moved: PointerEvent) => set(((moved.clientX - box.left) / box.width) * 100);
    const end = () => {
      delete handle.dataset.dragging;
      handle.removeEventListener('pointermove', move);
      handle.removeEventListener('pointerup', end);
      handle.removeEventListener('pointercancel', end);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', end);
    handle.addEventListener('pointercancel', end);
  };
  const key = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -2, ArrowRight: 2, Home: -100, End: 100 }[event.key];
    if (step === undefined) return;
    set(share + step);
    event.preventDefault();
  };
  return (
    <div class="split" ref={root}>
      {first && (
        <div
          class="split__pane"
          hidden={shown === 'second'}
          style={{ flex: second && shown === 'both' ? `0 0 ${share}%` : '1' }}
        >
          {first}
        </div>
      )}
      {first && second && shown === 'both' && (
        <div
          class="split__handle"
          role="separator"
          tabIndex={0}
          aria-orientation="vertical"
          aria-label={t.shell.resize(label)}
          aria-valuenow={Math.round(share)}
          aria-valuemin={min}
          aria-valuemax={max}
          onPointerDown={drag}
          onKeyDown={key}
          onDblClick={() => set(initial)}
        />
      )}
      {second && (
        <div class="split__pane" hidden={shown === 'first'} style={{ flex: '1' }}>
          {second}
        </div>
      )}
    </div>
  );
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
