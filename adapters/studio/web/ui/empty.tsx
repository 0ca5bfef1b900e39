import type { ComponentChildren } from 'preact';

import { Icon, type IconName } from './icon';

interface EmptyProps {
  icon: IconName;
  title: string;
  /** whole says that there is nothing else on the page, whose heading the title is. */
  whole?: boolean;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

/** Empty stands where there is nothing yet, and says how something comes there. */
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
