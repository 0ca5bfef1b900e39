// Tries to read and to change what the person who looks at the page may, and
// returns what came of each attempt.
async (api, project, workspace) => {
  const body = JSON.stringify({ name: 'Taken over' });
  const projects = `${api}/workspaces/${workspace}/projects`;
  const own = `${api}/projects/${project}`;
  const read = async (name, address, options) => {
    try {
      const answer = await fetch(address, { credentials: 'include', ...options });
      return { name, read: answer.type === 'opaque' ? '' : `${answer.status} ${await answer.text()}` };
    } catch {
      return { name, read: '' };
    }
  };
  const request = (name, method, address, type) =>
    new Promise((resolve) => {
      const xhr = new XMLHttpRequest();
      xhr.open(method, address);
      xhr.withCredentials = true;
      if (type) xhr.setRequestHeader('Content-Type', type);
      xhr.onloadend = () => resolve({ name, read: xhr.status ? `${xhr.status} ${xhr.responseText}` : '' });
      xhr.send(method === 'GET' ? null : body);
    });
  const json = { 'Content-Type': 'application/json' };
  const text = { 'Content-Type': 'text/plain' };
  const stream = new Promise((resolve) => {
    const events = new EventSource(`${own}/preview/events`, { withCredentials: true });
    events.onmessage = (event) => resolve({ name: 'an event stream', read: event.data });
    events.onerror = () => (events.close(), resolve({ name: 'an event stream', read: '' }));
  });
  const frame = document.body.appendChild(document.createElement('iframe'));
  const framed = new Promise((resolve) => {
    frame.onload = () => {
      let got = '';
      try {
        got = frame.contentDocument?.body.innerText ?? '';
      } catch {}
      resolve({ name: 'a frame', read: got });
    };
    frame.src = `${api}/auth/me`;
  });
  navigator.sendBeacon(`${own}/publish`, new Blob([body], { type: 'text/plain' }));
  return Promise.all([
    stream,
    framed,
    read('a fetch of the account', `${api}/auth/me`, {}),
    read('a fetch that does not ask', `${api}/auth/me`, { mode: 'no-cors' }),
    read('a fetch of a file', `${own}/files/index.html`, {}),
    read('a deletion', own, { method: 'DELETE' }),
    read('a file written', `${own}/files/index.html`, { method: 'PUT', headers: text, body }),
    read('a project made', projects, { method: 'POST', headers: json, body }),
    read('a project made with text', projects, { method: 'POST', headers: text, body }),
    read('a project made without asking', projects, { method: 'POST', mode: 'no-cors', headers: text, body }),
    read('a site published', `${own}/publish`, { method: 'POST', mode: 'no-cors' }),
    read('a sign-out', `${api}/auth/logout-all`, { method: 'POST', mode: 'no-cors' }),
    read('a sign-out of this browser', `${api}/auth/logout`, { method: 'POST', mode: 'no-cors' }),
    request('an XHR of the account', 'GET', `${api}/auth/me`),
    request('an XHR with text', 'POST', projects, 'text/plain'),
    request('an XHR with JSON', 'POST', projects, 'application/json'),
  ]);
}
