import type { ComponentChildren } from 'preact';

import { Icon, type IconName } from './icon';

interface EmptyProps {
  icon: IconName;
  title: string;
  /** whole is true if the page has nothing else; the title is then its heading. */
  whole?: boolean;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

/** Empty is shown while there is nothing yet, and says how to add something. */
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
