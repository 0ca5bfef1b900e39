import { me } from '~/app/session';

/**
 * Username tells password managers whose password the field after it takes. Nobody sees it.
 */
export function Username() {
  return (
    <input
      class="visually-hidden"
      type="text"
      autocomplete="username"
      value={me.value!.user.email}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}
