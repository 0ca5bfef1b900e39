// Applies the chosen theme before the first paint. The system's theme holds until
// somebody chooses another.
try {
  const theme = localStorage.getItem('atelier.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing shows the system's theme.
}
