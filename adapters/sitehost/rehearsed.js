// The client of a page that is rehearsed. Only a notice that there is no build yet gives way: to the
// page, once it is built.
if (!document.querySelector('script[src="/@atelier/client.js"]')?.dataset.build) {
  new EventSource('/@atelier/events').onmessage = (message) => {
    if (JSON.parse(message.data).type === 'build.ok') location.reload();
  };
}
