import type { Workbench } from '../en/workbench';
import { chat } from './chat';
import { checks } from './checks';
import { code } from './code';
import { comments } from './comments';
import { data } from './data';
import { preview } from './preview';
import { project } from './project';
import { publish } from './publish';
import { remote } from './remote';
import { site, visits } from './site';
import { tasks } from './tasks';
import { versions } from './versions';

export const workbench: Workbench = {
  project,
  chat,
  checks,
  remote,
  tasks,
  comments,
  preview,
  code,
  data,
  versions,
  publish,
  site,
  visits,
};
