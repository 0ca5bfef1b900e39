import type { Text } from '../en';
import { auth } from './auth';
import { dashboard } from './dashboard';
import { front } from './front';
import { help } from './help';
import { keys } from './keys';
import { palette } from './palette';
import { passkeys } from './passkeys';
import { settings } from './settings';
import { shell } from './shell';

export const text: Text = {
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
