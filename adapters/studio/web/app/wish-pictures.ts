// The images of the first prompt. They are kept like its text (wish.ts), but in IndexedDB: the
// tab's storage is too small for them.

import { isText, tabStorage } from '~/storage';

/** WishPicture is an image. Its url is a data URL. */
export interface WishPicture {
  id: string;
  name: string;
  size: number;
  url: string;
}

interface Kept {
  at: number;
  pictures: WishPicture[];
}

const name = 'atelier.prompt';
const images = 'images';

/** longest is how long images without a prompt are kept, in milliseconds: their tab may be gone. */
const longest = 24 * 60 * 60 * 1000;

// under is the key of this tab's images.
const under = `${name}.images`;

/** keptWishPictures returns the images that this tab has kept. */
export async function keptWishPictures(): Promise<WishPicture[]> {
  const key = tabStorage.read(under, isText);
  if (key === null) return [];
  const kept = await inStore<Kept | undefined>('readonly', (store) => store.get(key)).catch(() => undefined);
  return kept?.pictures ?? [];
}

/** keepWishPictures reports whether the images are kept. */
export async function keepWishPictures(pictures: WishPicture[]): Promise<boolean> {
  let key = tabStorage.read(under, isText);
  if (key === null && pictures.length === 0) return true;
  key ??= String(Math.random());
  const kept: Kept = { at: Date.now(), pictures };
  try {
    await inStore('readwrite', (store) => {
      const request = pictures.length > 0 ? store.put(kept, key) : store.delete(key);
      removeOld(store);
      return request;
    });
  } catch {
    return pictures.length === 0;
  }
  return tabStorage.write(under, key);
}

function removeOld(store: IDBObjectStore): void {
  store.openCursor().onsuccess = (event) => {
    const cursor = (event.target as IDBRequest<IDBCursorWithValue | null>).result;
    if (!cursor) return;
    if ((cursor.value as Kept).at < Date.now() - longest) cursor.delete();
    cursor.continue();
  };
}

// inStore makes one request, and returns its result once it is stored. It throws where the
// browser has no database, or no room.
async function inStore<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(images, mode);
      const request = ask(transaction.objectStore(images));
      transaction.oncomplete = () => resolve(request.result as T);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(images);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
