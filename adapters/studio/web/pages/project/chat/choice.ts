// The model last chosen for a project, which its chats and its first prompt share.

import { browserStorage } from '~/storage';
import { type Choice, isChoice } from './queue';

export function keptChoice(projectId: string): Choice {
  return browserStorage.read(`atelier.model.${projectId}`, isChoice) ?? {};
}

export function keepChoice(projectId: string, choice: Choice): void {
  browserStorage.write(`atelier.model.${projectId}`, choice);
}
