// A guestbook on the project's backend, whose schema is backend/schema.json. The preview shows
// test data, the published site live data, both at /_data.
const data = '/_data/'
const records = data + 'collections/entries/records'
const host = document.getElementById('guestbook')
// The name that PocketBase's client has for it. Atelier's preview keeps what is under this name when its
// address changes.
const kept = 'pocketbase_auth'

const languages = {
  en: {
    title: 'Guestbook', entries: 'Entries', entry: 'Your entry', sign: 'Sign the guestbook', remove: 'Delete', somebody: 'Somebody',
    email: 'Email', password: 'Password', name: 'Name (to sign up)', signIn: 'Sign in', signUp: 'Sign up', signOut: 'Sign out',
  },
  de: {
    title: 'Gästebuch', entries: 'Einträge', entry: 'Ihr Eintrag', sign: 'Ins Gästebuch schreiben', remove: 'Löschen', somebody: 'Jemand',
    email: 'E-Mail', password: 'Passwort', name: 'Name (zum Registrieren)', signIn: 'Anmelden', signUp: 'Registrieren', signOut: 'Abmelden',
  },
  es: {
    title: 'Libro de visitas', entries: 'Mensajes', entry: 'Tu mensaje', sign: 'Firmar el libro', remove: 'Eliminar', somebody: 'Alguien',
    email: 'Correo electrónico', password: 'Contraseña', name: 'Nombre (para registrarse)', signIn: 'Iniciar sesión', signUp: 'Registrarse', signOut: 'Cerrar sesión',
  },
}
const texts = languages[document.documentElement.lang.slice(0, 2)] ?? languages.en

// me is who is signed in: {token, record}, or null.
let me = stored()

function stored() {
  try {
    return JSON.parse(localStorage.getItem(kept) ?? 'null')
  } catch {
    return null // Private windows may refuse storage.
  }
}

async function call(method, path, body) {
  const headers = { 'Content-Type': 'application/json' }
  if (me) headers.Authorization = me.token
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) })
  if (response.status === 401) signOut()
  const answer = response.status === 204 ? null : await response.json()
  if (response.ok) return answer
  const reasons = Object.entries(answer.data ?? {}).map(([field, { message }]) => `${field}: ${message}`)
  throw new Error(reasons.join(' ') || answer.message)
}

function keep(session) {
  me = session
  try {
    if (me) localStorage.setItem(kept, JSON.stringify(me))
    else localStorage.removeItem(kept)
  } catch {
    // Without storage the session lasts as long as the page.
  }
}

function signOut() {
  keep(null)
  show()
}

// make returns an element. Texts of guests are set as text, never as HTML.
function make(name, props, ...children) {
  const element = Object.assign(document.createElement(name), props)
  element.append(...children)
  return element
}

function input(name, label, props) {
  return make('label', {}, label, make('input', { name, required: true, ...props }))
}

// form calls act with the values of the inputs and the button, and shows what went wrong.
function form(children, buttons, act) {
  const problem = make('p', { role: 'alert' })
  const element = make('form', {}, ...children, make('div', { className: 'actions' }, ...buttons), problem)
  element.addEventListener('submit', async (event) => {
    event.preventDefault()
    try {
      await act(Object.fromEntries(new FormData(element)), event.submitter.value)
      await show()
    } catch (error) {
      problem.textContent = error.message
    }
  })
  return element
}

function signInForm() {
  const fields = [
    input('email', texts.email, { type: 'email', autocomplete: 'email' }),
    input('password', texts.password, { type: 'password', minLength: 8, autocomplete: 'current-password' }),
    input('name', texts.name, { required: false, maxLength: 80, autocomplete: 'name' }),
  ]
  const buttons = [make('button', { value: 'Sign in' }, texts.signIn), make('button', { value: 'Sign up' }, texts.signUp)]
  return form(fields, buttons, async ({ email, password, name }, button) => {
    const users = data + 'collections/users/'
    if (button === 'Sign up') await call('POST', users + 'records', { email, password, passwordConfirm: password, name })
    keep(await call('POST', users + 'auth-with-password', { identity: email, password }))
  })
}

function entryForm() {
  const text = make('textarea', { name: 'text', required: true, maxLength: 500, rows: 3, ariaLabel: texts.entry })
  const leave = make('button', { type: 'button' }, texts.signOut)
  leave.addEventListener('click', signOut)
  const add = (values) => call('POST', records, { text: values.text, author: me.record.id })
  return form([text], [make('button', {}, texts.sign), leave, me.record.name], add)
}

function entryView(entry) {
  const view = make('li', {}, make('span', {}, make('strong', {}, entry.expand?.author?.name ?? texts.somebody), ': ', entry.text))
  if (entry.author === me?.record.id) {
    const remove = make('button', { type: 'button' }, texts.remove)
    remove.addEventListener('click', () => call('DELETE', `${records}/${entry.id}`).then(showEntries))
    view.append(remove)
  }
  return view
}

const list = make('ul', { ariaLabel: texts.entries })
let shown = ''

async function showEntries() {
  const page = await call('GET', records + '?sort=-created&expand=author&perPage=100')
  const next = JSON.stringify([page.items, me?.record.id])
  if (next === shown) return
  shown = next
  list.replaceChildren(...page.items.map(entryView))
}

async function show() {
  host.replaceChildren(make('h2', {}, texts.title), me ? entryForm() : signInForm(), list)
  await showEntries()
}

// follow shows what others do while the page is open.
function follow() {
  const events = new EventSource(data + 'realtime')
  events.addEventListener('PB_CONNECT', (event) =>
    call('POST', data + 'realtime', { clientId: JSON.parse(event.data).clientId, subscriptions: ['entries/*'] }).then(showEntries),
  )
  events.addEventListener('entries/*', showEntries)
}

show()
follow()
