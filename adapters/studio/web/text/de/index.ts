import type { Text } from '../en';
import { auth } from './auth';
import { chat } from './chat';
import { checks } from './checks';
import { code } from './code';
import { dashboard } from './dashboard';
import { data } from './data';
import { front } from './front';
import { preview } from './preview';
import { project } from './project';
import { publish } from './publish';
import { settings } from './settings';
import { shell } from './shell';
import { site, visits } from './site';
import { tasks } from './tasks';
import { versions } from './versions';
import { workspace } from './workspace';

export const de: Text = {
  shell,
  auth,
  front,
  dashboard,
  settings,
  workspace,
  project,
  chat,
  checks,
  tasks,
  preview,
  code,
  data,
  versions,
  publish,
  site,
  visits,
};
