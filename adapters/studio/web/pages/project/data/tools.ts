// The views beside the collections, which are about all of the data.

import Mail from 'lucide/dist/esm/icons/mail.mjs';
import type { FunctionComponent } from 'preact';

import type { DataEnv } from '~/api/types';
import { t } from '~/text';
import type { IconName } from '~/ui';
import type { DataDesk, ToolName } from './desk';
import { Mails } from './mails';

/** Tool is such a view. */
interface Tool {
  name: ToolName;
  icon: IconName;
  label: () => string;
  /** envs are the data that it is there for. */
  envs: DataEnv[];
  Page: FunctionComponent<{ desk: DataDesk }>;
}

// They are listed in this order.
const tools: Tool[] = [{ name: 'mails', icon: Mail, label: () => t.data.mails, envs: ['test'], Page: Mails }];

/** toolsOf are the views that an environment has. */
export function toolsOf(env: DataEnv): Tool[] {
  return tools.filter(({ envs }) => envs.includes(env));
}
