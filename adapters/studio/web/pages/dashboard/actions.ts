// One-step actions on projects and folders. Each shows its result.

import { api } from '~/api/client';
import type { Folder, Project, SharedTemplate } from '~/api/types';
import { outside } from '~/app/base';
import { isolate, t } from '~/text';
import { ask, complain, say } from '~/ui';
import type { Desk } from './desk';

// attempt runs an action and shows its error.
async function attempt(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    complain(error);
  }
}

/** moveProject moves a project into a folder; an empty id is the root. It throws on failure. */
export async function moveProject(desk: Desk, id: string, folderId: string): Promise<void> {
  const project = await api.patch<Project>(`/projects/${id}`, { folderId: folderId || null });
  const shown = desk.place.q !== '' || desk.place.visibility !== '' || desk.place.folder === folderId;
  if (shown) desk.projects.put(project);
  else desk.projects.drop(id);
  const folder = desk.folders.items?.find((item) => item.id === folderId);
  const name = isolate(project.name);
  say(folder ? t.dashboard.moved(name, isolate(folder.name)) : t.dashboard.movedOut(name));
}

/** removeProject moves a project to the trash. It asks first if the project has a live site. */
export async function removeProject(desk: Desk, project: Project): Promise<void> {
  const name = isolate(project.name);
  if (
    project.url &&
    !(await ask({
      title: t.dashboard.removeTitle(name),
      text: t.dashboard.removeText,
      confirm: t.dashboard.remove,
      danger: true,
    }))
  )
    return;
  await attempt(async () => {
    await api.delete(`/projects/${project.id}`);
    desk.projects.drop(project.id);
    say(t.dashboard.removed(name));
  });
}

export function restoreProject(desk: Desk, project: Project): Promise<void> {
  return attempt(async () => {
    await api.post(`/projects/${project.id}/restore`);
    desk.projects.drop(project.id);
    say(t.dashboard.restored(isolate(project.name)));
  });
}

/** purgeProject deletes a project permanently. */
export async function purgeProject(desk: Desk, project: Project): Promise<void> {
  const name = isolate(project.name);
  if (
    !(await ask({
      title: t.dashboard.purgeTitle(name),
      text: t.dashboard.purgeText,
      confirm: t.dashboard.purgeButton,
      danger: true,
    }))
  )
    return;
  await attempt(async () => {
    await api.delete(`/projects/${project.id}`, { query: { hard: true } });
    desk.projects.drop(project.id);
    say(t.dashboard.purged(name));
  });
}

/** removeFolder deletes a folder and moves its contents to the root. */
export async function removeFolder(desk: Desk, folder: Folder): Promise<void> {
  if (
    !(await ask({
      title: t.dashboard.removeFolderTitle(isolate(folder.name)),
      text: t.dashboard.removeFolderText,
      confirm: t.shell.delete,
      danger: true,
    }))
  )
    return;
  await attempt(async () => {
    await api.delete(`/folders/${folder.id}`);
    await Promise.all([desk.folders.reload(), desk.projects.reload()]);
  });
}

const addressOf = ({ workspaceId, id }: SharedTemplate) => `/workspaces/${workspaceId}/templates/${id}`;

/** changeTemplate changes what a template says of itself. It throws on failure. */
export async function changeTemplate(
  desk: Desk,
  template: SharedTemplate,
  words: Pick<SharedTemplate, 'name' | 'description'>,
): Promise<void> {
  putTemplate(desk, await api.patch<SharedTemplate>(addressOf(template), words));
}

/** retakeTemplate gives a template the present files of its project. */
export function retakeTemplate(desk: Desk, template: SharedTemplate): Promise<void> {
  return attempt(async () => {
    putTemplate(desk, await api.post<SharedTemplate>(`${addressOf(template)}/update`));
    say(t.workspace.templates.retaken(isolate(template.name)));
  });
}

function putTemplate(desk: Desk, changed: SharedTemplate): void {
  desk.shared.set((all) => all.map((template) => (template.id === changed.id ? changed : template)));
}

/** removeTemplate deletes a template, after asking. */
export async function removeTemplate(desk: Desk, template: SharedTemplate): Promise<void> {
  if (
    !(await ask({
      title: t.workspace.templates.removeTitle(isolate(template.name)),
      text: t.workspace.templates.removeText,
      confirm: t.shell.delete,
      danger: true,
    }))
  )
    return;
  await attempt(async () => {
    await api.delete(addressOf(template));
    desk.shared.set((all) => all.filter(({ id }) => id !== template.id));
  });
}

/** exportProject downloads a project. It renews an expired session first. */
export function exportProject(project: Project): Promise<void> {
  return attempt(async () => {
    await api.get(`/projects/${project.id}`);
    const link = document.createElement('a');
    link.href = outside(`/projects/${project.id}/export`);
    link.download = '';
    link.click();
  });
}
