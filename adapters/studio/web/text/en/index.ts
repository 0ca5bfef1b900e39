// English, which says what the other languages have to say as well.

import { shell } from './shell';
import { auth } from './auth';
import { dashboard } from './dashboard';
import { settings } from './settings';
import { workspace } from './workspace';
import { project } from './project';
import { chat } from './chat';
import { preview } from './preview';
import { code } from './code';
import { versions } from './versions';
import { publish } from './publish';

export const en = {
  shell,
  auth,
  dashboard,
  settings,
  workspace,
  project,
  chat,
  preview,
  code,
  versions,
  publish,
};

export type Text = typeof en;
