// English. Its type determines the texts of the other languages.

import { auth } from './auth';
import { dashboard } from './dashboard';
import { front } from './front';
import { help } from './help';
import { keys } from './keys';
import { palette } from './palette';
import { passkeys } from './passkeys';
import { settings } from './settings';
import { shell } from './shell';

export const text = {
  shell,
  auth,
  front,
  dashboard,
  help,
  keys,
  palette,
  passkeys,
  settings,
};

export type Text = typeof text;
