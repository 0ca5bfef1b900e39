import { api } from '~/api/client';
import { type Loaded, useLoad } from '~/api/load';
import type { SharedTemplate, Template } from '~/api/types';
import { t } from '~/text';

/** useTemplates loads the project templates, translated where possible. */
export function useTemplates(): Loaded<Template[]> {
  return useLoad('templates', async (signal) => {
    const { items } = await api.get<{ items: Template[] }>('/templates', { signal });
    return items.map((template) => ({ ...template, ...t.dashboard.templates[template.id] }));
  });
}

/** useSharedTemplates loads the templates that a workspace shares, the newest first. */
export function useSharedTemplates(workspaceId: string): Loaded<SharedTemplate[]> {
  return useLoad(`templates ${workspaceId}`, async (signal) => {
    const path = `/workspaces/${workspaceId}/templates`;
    return (await api.get<{ items: SharedTemplate[] }>(path, { signal })).items;
  });
}

// The templates with a picture in public/gallery (`make gallery`).
const pictured = ['blank', 'todo-app', 'landing-page', 'dashboard', 'static-html', 'vite-react'];

/** pictureOf returns the address of a template's picture, undefined for one without. */
export function pictureOf(template: string | null): string | undefined {
  return template !== null && pictured.includes(template) ? `/gallery/${template}.webp` : undefined;
}
