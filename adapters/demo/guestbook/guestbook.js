// A guestbook on the project's backend, whose schema is backend/schema.json. The preview shows
// test data, the published site live data, both at /_data.
const data = '/_data/'
const records = data + 'collections/entries/records'
const host = document.getElementById('guestbook')
// The name that PocketBase's client has for it. Atelier's preview keeps what is under this name when its
// address changes.
const kept = 'pocketbase_auth'

// me is who is signed in: {token, record}, or null.
let me = JSON.parse(localStorage.getItem(kept) ?? 'null')

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
  if (me) localStorage.setItem(kept, JSON.stringify(me))
  else localStorage.removeItem(kept)
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

// column puts the children of an element below each other.
function column(element) {
  Object.assign(element.style, { display: 'grid', gap: '0.5rem', maxWidth: '24rem' })
  return element
}

function input(name, label, props) {
  return column(make('label', {}, label, make('input', { name, required: true, ...props })))
}

// form calls act with the values of the inputs and the button, and shows what went wrong.
function form(children, buttons, act) {
  const problem = make('p', { role: 'alert' })
  const row = make('div', {}, ...buttons.flatMap((text) => [make('button', { value: text }, text), ' ']))
  const element = column(make('form', {}, ...children, row, problem))
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
    input('email', 'E-mail', { type: 'email', autocomplete: 'email' }),
    input('password', 'Password', { type: 'password', minLength: 8, autocomplete: 'current-password' }),
    input('name', 'Name (to sign up)', { required: false, maxLength: 80, autocomplete: 'name' }),
  ]
  return form(fields, ['Sign in', 'Sign up'], async ({ email, password, name }, button) => {
    const users = data + 'collections/users/'
    if (button === 'Sign up') await call('POST', users + 'records', { email, password, passwordConfirm: password, name })
    keep(await call('POST', users + 'auth-with-password', { identity: email, password }))
  })
}

function entryForm() {
  const text = make('textarea', { name: 'text', required: true, maxLength: 500, ariaLabel: 'Your entry' })
  const leave = make('button', { type: 'button' }, 'Sign out')
  leave.addEventListener('click', signOut)
  const add = (values) => call('POST', records, { text: values.text, author: me.record.id })
  return make('div', {}, form([text], ['Sign the guestbook'], add), `You are ${me.record.name}. `, leave)
}

function entryView(entry) {
  const view = make('li', {}, make('strong', {}, entry.expand?.author?.name ?? 'Somebody'), ': ', entry.text)
  if (entry.author === me?.record.id) {
    const remove = make('button', { type: 'button' }, 'Delete')
    remove.addEventListener('click', () => call('DELETE', `${records}/${entry.id}`).then(showEntries))
    view.append(' ', remove)
  }
  return view
}

const list = make('ul', { ariaLabel: 'Entries' })

async function showEntries() {
  const page = await call('GET', records + '?sort=-created&expand=author&perPage=100')
  list.replaceChildren(...page.items.map(entryView))
}

async function show() {
  host.replaceChildren(make('h2', {}, 'Guestbook'), me ? entryForm() : signInForm(), list)
  await showEntries()
}

// follow shows what others do while the page is open.
function follow() {
  const events = new EventSource(data + 'realtime')
  events.addEventListener('PB_CONNECT', (event) =>
    call('POST', data + 'realtime', { clientId: JSON.parse(event.data).clientId, subscriptions: ['entries/*'] }),
  )
  events.addEventListener('entries/*', showEntries)
}

show()
follow()
