import type { ComponentChildren } from 'preact';

import { Icon, type IconName } from './icon';

export interface TabItem<Name extends string> {
  name: Name;
  label: ComponentChildren;
  icon?: IconName;
}

interface TabsProps<Name extends string> {
  label: string;
  items: TabItem<Name>[];
  /** current may be undefined if no tab is selected. */
  current: Name | undefined;
  /** pressed is true for a click, and false for arrow keys, which keep the focus on the tabs. */
  onChange: (name: Name, pressed: boolean) => void;
  /** panel is the id of the element that shows the selected tab. */
  panel: string;
}

/** Tabs is a tab list. The arrow keys move between tabs. */
export function Tabs<Name extends string>({ label, items, current, onChange, panel }: TabsProps<Name>) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = items.findIndex((item) => item.name === current);
    const next = items[(at + step + items.length) % items.length]!;
    onChange(next.name, false);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-name="${next.name}"]`)?.focus();
    event.preventDefault();
  };
  const reachable = items.some((item) => item.name === current) ? current : items[0]?.name;
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {items.map(({ name, label, icon }) => (
        <button
          key={name}
          type="button"
          class="tab"
          role="tab"
          data-name={name}
          aria-selected={name === current}
          aria-controls={panel}
          tabIndex={name === reachable ? 0 : -1}
          onClick={() => onChange(name, true)}
        >
          {icon && <Icon name={icon} />}
          {label}
        </button>
      ))}
    </div>
  );
}
