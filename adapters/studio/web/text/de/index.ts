import type { Text } from '../en';
import { auth } from './auth';
import { dashboard } from './dashboard';
import { front } from './front';
import { keys } from './keys';
import { settings } from './settings';
import { shell } from './shell';
import { workspace } from './workspace';

export const de: Text = {
  shell,
  auth,
  front,
  dashboard,
  keys,
  settings,
  workspace,
};
