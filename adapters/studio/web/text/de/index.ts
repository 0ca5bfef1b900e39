import type { Text } from '../en';
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

export const de: Text = {
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
