// Images attached to a message.

import { bytes, t } from '~/text';
import type { Picture } from './queue';

export const most = 8;
const largest = 5 * 1024 * 1024;
const kinds = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** imagesIn returns the images of a paste or drop. */
export function imagesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
}

/** readPictures reads image files. It returns messages about those that cannot be sent. */
export async function readPictures(files: File[], have: number): Promise<{ pictures: Picture[]; problems: string[] }> {
  const pictures: Picture[] = [];
  const problems = new Set<string>();
  for (const file of files) {
    const problem = problemOf(file) ?? (have + pictures.length >= most ? t.chat.tooManyImages(most) : null);
    if (problem) problems.add(problem);
    else pictures.push({ id: String(Math.random()), name: file.name, size: file.size, url: await dataURL(file) });
  }
  return { pictures, problems: [...problems] };
}

function problemOf(file: File): string | null {
  if (!kinds.includes(file.type)) return t.chat.notAnImage(file.name);
  return file.size > largest ? t.chat.imageTooLarge(file.name, bytes(largest)) : null;
}

function dataURL(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
