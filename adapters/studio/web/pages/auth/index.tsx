import { config } from '~/app/config';
import { useTitle } from '~/app/title';
import { VisitorBar } from '~/app/visitor-bar';
import { isWishAsked, keptWish } from '~/app/wish';
import { t } from '~/text';
import { Forgot } from './forgot';
import { Login } from './login';
import { Reset } from './reset';
import { isClosed, SignUp } from './signup';

type Form = 'login' | 'signup' | 'forgot' | 'reset';

const forms = { login: Login, signup: SignUp, forgot: Forgot, reset: Reset };

/** Auth is the page for visitors without a session. It shows one form. */
export default function Auth({ form }: { form: Form }) {
  const title =
    form === 'signup' && isClosed()
      ? t.auth.closed.title
      : t.auth.titles[form === 'signup' && config.fresh ? 'first' : form];
  useTitle(title);
  const Form = forms[form];
  return (
    <>
      <VisitorBar />
      <main class="auth" id="main" tabIndex={-1}>
        <div class="auth__box">
          <h1>{title}</h1>
          {(form === 'signup' || form === 'login') && <Wish />}
          <Form />
        </div>
      </main>
    </>
  );
}

// Wish shows what a visitor typed on the front page, which is built after the sign-in.
function Wish() {
  if (!isWishAsked()) return null;
  return (
    <figure class="auth__wish">
      <figcaption>{t.front.wishKept}</figcaption>
      <blockquote dir="auto">{keptWish()}</blockquote>
    </figure>
  );
}
