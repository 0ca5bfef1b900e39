// The service worker has one task: a page of its own when the service cannot be reached. It
// keeps nothing else. Scripts, pages and answers of the API come from the service each time, so
// that an update needs no help and nothing personal stays in the browser.

const cache = 'atelier-offline';
const kept = new URL('offline', self.registration.scope).href;

self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('activate', (event) => {
  // The browser asks for the page while the worker starts.
  event.waitUntil(Promise.all([self.clients.claim(), self.registration.navigationPreload?.enable()]));
});

// The studio tells the words, in the language of its user (app/installed.ts).
self.addEventListener('message', (event) => {
  const { lang, title, text, again } = event.data ?? {};
  if ([lang, title, text, again].some((word) => typeof word !== 'string')) return;
  event.waitUntil(caches.open(cache).then((store) => store.put(kept, page({ lang, title, text, again }))));
});

self.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate' || event.request.method !== 'GET') return;
  event.respondWith(answer(event));
});

async function answer(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const offline = await (await caches.open(cache)).match(kept);
    if (!offline) throw error;
    return offline;
  }
}

function page({ lang, title, text, again }) {
  const html = `<!doctype html>
<html lang="${plain(lang)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${plain(title)}</title>
<style>
  body { display: grid; place-content: center; gap: 12px; min-height: 100dvh; margin: 0; padding: 24px; box-sizing: border-box; background: light-dark(#f7f6f3, #141311); color: light-dark(#1d1b17, #efece6); font: 14px / 1.5 Geist, system-ui, sans-serif; text-align: center; }
  h1 { margin: 0; font-size: 20px; font-weight: 600; }
  p { max-width: 420px; margin: 0; color: light-dark(#57534b, #bab5aa); }
  a { justify-self: center; padding: 8px 16px; border-radius: 8px; background: light-dark(#3b4cca, #a3aeff); color: light-dark(#fff, #14152c); font-weight: 500; text-decoration: none; }
</style>
<main style="display: contents"><h1>${plain(title)}</h1><p>${plain(text)}</p><a href="">${plain(again)}</a></main>
</html>`;
  return new Response(html, {
    status: 503,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    },
  });
}

function plain(words) {
  return words.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}
