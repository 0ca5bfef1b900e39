import { api } from '~/api/client';
import { type Loaded, useLoad } from '~/api/load';
import type { Template } from '~/api/types';
import { t } from '~/text';

/** useTemplates loads the project templates, translated where possible. */
export function useTemplates(): Loaded<Template[]> {
  return useLoad('templates', async (signal) => {
    const { items } = await api.get<{ items: Template[] }>('/templates', { signal });
    return items.map((template) => ({ ...template, ...t.dashboard.templates[template.id] }));
  });
}
