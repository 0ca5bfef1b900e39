import type { ComponentChildren } from 'preact';

import { Icon, type IconName } from './icon';

interface EmptyProps {
  icon: IconName;
  title: string;
  /** whole is true if it is the only content of the page; the title is then the page's heading. */
  whole?: boolean;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

/** Empty is a placeholder for an empty list, with actions to add something. */
export function Empty({ icon, title, whole, children, actions }: EmptyProps) {
  const Heading = whole ? 'h1' : 'h2';
  return (
    <div class="empty">
      <Icon name={icon} size={24} />
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {actions && <div class="empty__actions">{actions}</div>}
    </div>
  );
}
