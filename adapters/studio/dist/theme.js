// Applies the chosen theme before the first paint. The system's theme holds until
// somebody chooses another.
try {
  const theme = localStorage.getItem('atelier.theme');
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
    // The browser's own bars have the page's colour.
    for (const meta of document.querySelectorAll('meta[name=theme-color]')) {
      meta.media = meta.dataset.scheme === theme ? '' : 'not all';
    }
  }
} catch {
  // A browser that keeps nothing shows the system's theme.
}
