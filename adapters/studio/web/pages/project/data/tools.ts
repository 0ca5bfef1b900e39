// The views about the data as a whole.

import Mail from 'lucide/dist/esm/icons/mail.mjs';
import SquareFunction from 'lucide/dist/esm/icons/square-function.mjs';
import type { FunctionComponent } from 'preact';

import type { DataEnv } from '~/api/types';
import { t } from '~/text';
import type { IconName } from '~/ui';
import { Check } from './check';
import type { DataDesk, ToolName } from './desk';
import { Functions } from './functions-view';
import { Logs } from './logs';
import { Mails } from './mails';
import { SignIns } from './signins-view';
import { Snapshots } from './snapshots';

interface Tool {
  name: ToolName;
  icon: IconName;
  label: () => string;
  /** envs are the environments that have the view. */
  envs: DataEnv[];
  /** withoutData is true if the view is shown before there is data. */
  withoutData?: boolean;
  Page: FunctionComponent<{ desk: DataDesk }>;
}

// The sidebar lists them in this order.
const tools: Tool[] = [
  {
    name: 'functions',
    icon: SquareFunction,
    label: () => t.data.functions,
    envs: ['test', 'live'],
    withoutData: true,
    Page: Functions,
  },
  {
    name: 'logs',
    icon: 'terminal',
    label: () => t.data.logs,
    envs: ['test', 'live'],
    withoutData: true,
    Page: Logs,
  },
  { name: 'mails', icon: Mail, label: () => t.data.mails, envs: ['test'], Page: Mails },
  { name: 'check', icon: 'shield', label: () => t.data.check, envs: ['test'], Page: Check },
  {
    name: 'signins',
    icon: 'key',
    label: () => t.data.signIns.title,
    envs: ['test', 'live'],
    withoutData: true,
    Page: SignIns,
  },
  { name: 'snapshots', icon: 'history', label: () => t.data.snapshots, envs: ['test', 'live'], Page: Snapshots },
];

/** toolsOf returns the views of an environment. */
export function toolsOf(env: DataEnv): Tool[] {
  return tools.filter(({ envs }) => envs.includes(env));
}
