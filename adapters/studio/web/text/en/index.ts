// English. Its type determines the texts of the other languages.

import { auth } from './auth';
import { dashboard } from './dashboard';
import { front } from './front';
import { help } from './help';
import { keys } from './keys';
import { palette } from './palette';
import { settings } from './settings';
import { shell } from './shell';
import { workspace } from './workspace';

export const en = {
  shell,
  auth,
  front,
  dashboard,
  help,
  keys,
  palette,
  settings,
  workspace,
};

export type Text = typeof en;
