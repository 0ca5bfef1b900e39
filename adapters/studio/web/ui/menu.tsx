import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { Button, IconButton } from './button';
import { Icon, type IconName } from './icon';
import { place } from './place';

export interface MenuEntry {
  label: string;
  icon?: IconName;
  hint?: string;
  danger?: boolean;
  disabled?: boolean;
  /** checked marks the entry as one of several options. */
  checked?: boolean;
  onSelect?: () => void;
  /** href makes the entry a link. */
  href?: string;
  download?: boolean;
}

/** A string is a heading, null a separator. */
export type MenuItem = MenuEntry | string | null;

interface MenuProps {
  label: string;
  items: MenuItem[];
  icon?: IconName;
  small?: boolean;
  /** children replace the icon on the button. */
  children?: ComponentChildren;
}

/** Menu is a button that opens a list of actions. */
export function Menu({ label, items, icon = 'more', small, children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();

  // The list may change and grow while it is open.
  useLayoutEffect(() => {
    if (open) place(root.current!, list.current!);
  });
  // Move the focus before the next key press, so that it cannot undo the key's effect.
  useLayoutEffect(() => {
    if (open) focusItem(list.current!, 0);
  }, [open]);
  useEffect(() => {
    if (!open) return;
    const away = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const shut = () => setOpen(false);
    document.addEventListener('pointerdown', away);
    window.addEventListener('resize', shut);
    window.addEventListener('blur', shut);
    return () => {
      document.removeEventListener('pointerdown', away);
      window.removeEventListener('resize', shut);
      window.removeEventListener('blur', shut);
    };
  }, [open]);

  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  const toggle = {
    'aria-haspopup': 'menu' as const,
    'aria-expanded': open,
    'aria-controls': open ? id : undefined,
    onClick: () => setOpen(!open),
  };
  return (
    <div class="menu" ref={root} onKeyDown={(event) => open && onKey(event, list.current!, close)}>
      {children ? (
        <Button kind="quiet" small={small} aria-label={label} data-tip={label} {...toggle}>
          {children}
        </Button>
      ) : (
        <IconButton icon={icon} label={label} small={small} {...toggle} />
      )}
      {open && (
        <div class="menu__list" role="menu" id={id} aria-label={label} ref={list} popover="manual">
          {items.map((item, index) => (
            <Item key={index} item={item} close={close} />
          ))}
        </div>
      )}
    </div>
  );
}

function Item({ item, close }: { item: MenuItem; close: () => void }) {
  if (item === null) return <hr class="menu__separator" />;
  if (typeof item === 'string')
    return (
      <div class="menu__label" role="presentation">
        {item}
      </div>
    );
  const content = (
    <>
      {item.checked !== undefined ? (
        <span class="icon">{item.checked && <Icon name="check" />}</span>
      ) : (
        item.icon && <Icon name={item.icon} />
      )}
      <span>{item.label}</span>
      {item.hint && <small>{item.hint}</small>}
    </>
  );
  const look = item.danger ? 'menu__item menu__item--danger' : 'menu__item';
  if (item.href) {
    return (
      <a class={look} role="menuitem" tabIndex={-1} href={item.href} download={item.download} onClick={close}>
        {content}
      </a>
    );
  }
  const choice =
    item.checked === undefined
      ? { role: 'menuitem' as const }
      : { role: 'menuitemradio' as const, 'aria-checked': item.checked };
  return (
    <button
      {...choice}
      type="button"
      class={look}
      tabIndex={-1}
      disabled={item.disabled}
      onClick={() => {
        close();
        item.onSelect?.();
      }}
    >
      {content}
    </button>
  );
}

function entries(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role^=menuitem]:not([disabled])')];
}

function focusItem(list: HTMLElement, index: number): void {
  const all = entries(list);
  all[(index + all.length) % all.length]?.focus();
}

function onKey(event: KeyboardEvent, list: HTMLElement, close: () => void): void {
  const all = entries(list);
  const at = all.indexOf(document.activeElement as HTMLElement);
  switch (event.key) {
    case 'ArrowDown':
      focusItem(list, at + 1);
      break;
    case 'ArrowUp':
      focusItem(list, at - 1);
      break;
    case 'Home':
      focusItem(list, 0);
      break;
    case 'End':
      focusItem(list, -1);
      break;
    case 'Escape':
    case 'Tab':
      close();
      break;
    default: {
      if (event.key.length !== 1) return;
      const wanted = event.key.toLowerCase();
      const order = [...all.slice(at + 1), ...all.slice(0, at + 1)];
      order.find((item) => item.textContent?.trim().toLowerCase().startsWith(wanted))?.focus();
      return;
    }
  }
  event.preventDefault();
  event.stopPropagation();
}
