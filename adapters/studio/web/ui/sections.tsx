import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { Icon, type IconName } from './icon';

export interface SectionItem {
  name: string;
  label: string;
  icon: IconName;
  href: string;
}

/**
 * Sections is a page with several sections and their navigation: next to the section, or a
 * row above it on phones.
 */
export function Sections({
  label,
  items,
  current,
  children,
}: {
  label: string;
  items: SectionItem[];
  current: string;
  children: ComponentChildren;
}) {
  const nav = useRef<HTMLElement>(null);
  // The row on phones is wider than the screen.
  useEffect(() => {
    const here = nav.current!.querySelector<HTMLElement>('[aria-current]');
    if (here)
      nav.current!.scrollLeft =
        here.offsetLeft - nav.current!.offsetLeft - (nav.current!.clientWidth - here.offsetWidth) / 2;
  }, [current]);
  return (
    <div class="sections">
      <nav class="sections__nav" aria-label={label} ref={nav}>
        {items.map(({ name, label: words, icon, href }) => (
          <a key={name} class="tab" href={href} aria-current={name === current ? 'page' : undefined}>
            <Icon name={icon} />
            {words}
          </a>
        ))}
      </nav>
      <div class="sections__main">{children}</div>
    </div>
  );
}
