import { Mark } from '~/app/shell';
import { useTitle } from '~/app/title';
import { t } from '~/text';
import { Forgot } from './forgot';
import { Login } from './login';
import { Reset } from './reset';
import { SignUp } from './signup';

type Form = 'login' | 'signup' | 'forgot' | 'reset';

const forms = { login: Login, signup: SignUp, forgot: Forgot, reset: Reset };

/** Auth is the page for visitors without a session. It shows one form. */
export default function Auth({ form }: { form: Form }) {
  const title = t.auth.titles[form];
  useTitle(title);
  const Form = forms[form];
  return (
    <main class="auth" id="main">
      <div class="auth__box">
        <Mark />
        <h1>{title}</h1>
        <Form />
      </div>
    </main>
  );
}
