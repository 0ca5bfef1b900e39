import { signal } from '@preact/signals';

import { keepWishPictures, keptWishPictures } from '~/app/wish-pictures';
import { loadWorkbench, t } from '~/text';
import { imagesIn, readPictures } from './project/chat/pictures';
import { AddImages, Chips } from './project/chat/pictureview';
import type { Picture } from './project/chat/queue';

/** WishImages are the images of the first prompt. The tab keeps them, through sign-up and reloads. */
export class WishImages {
  readonly all = signal<Picture[]>([]);
  readonly problem = signal('');

  /** add adds image files. */
  readonly add = async (files: File[]): Promise<void> => {
    const { pictures, problems } = await readPictures(files, this.all.value.length);
    this.problem.value = problems.join(' ');
    await this.set([...this.all.value, ...pictures]);
  };

  /** take adds the images of a paste or drop, and leaves what has none alone. */
  take(event: Event, data: DataTransfer | null): void {
    const found = imagesIn(data);
    if (found.length === 0) return;
    event.preventDefault();
    void this.add(found);
  }

  remove(id: string): void {
    this.problem.value = '';
    void this.set(this.all.value.filter((picture) => picture.id !== id));
  }

  forget(): void {
    void keepWishPictures([]);
  }

  private async set(pictures: Picture[]): Promise<void> {
    this.all.value = pictures;
    if (!(await keepWishPictures(pictures))) this.problem.value = t.chat.imagesUnkept;
  }

  /** Above shows the images, for over the text. */
  readonly Above = () => (
    <>
      <Chips pictures={this.all.value} remove={(id) => this.remove(id)} />
      {this.problem.value && (
        <p class="composer__problem" role="alert">
          {this.problem.value}
        </p>
      )}
    </>
  );

  /** Add is the button that adds images. */
  readonly Add = ({ disabled }: { disabled?: boolean }) => <AddImages pictures={this} disabled={disabled} />;
}

/** beginWishImages returns the images that this tab has kept. */
export async function beginWishImages(): Promise<WishImages> {
  const images = new WishImages();
  const [kept] = await Promise.all([keptWishPictures(), loadWorkbench()]);
  images.all.value = kept;
  return images;
}
