// Ranking of paths by what a user types, as in quick-open.

const most = 50;

/**
 * ranked returns the paths that contain the letters of a query in order, best match first.
 * Without a query, and between equal matches, favourites come first in their order, then
 * shorter paths.
 */
export function ranked(paths: string[], query: string, favourites: string[] = []): string[] {
  const places = new Map(favourites.map((path, index) => [path, index]));
  const placeOf = (path: string) => places.get(path) ?? favourites.length;
  const wanted = query.trim().toLowerCase().replace(/\s+/g, '');
  if (!wanted) return paths.toSorted((a, b) => placeOf(a) - placeOf(b)).slice(0, most);
  return paths
    .map((path) => ({ path, score: scoreOf(path.toLowerCase(), wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || placeOf(a.path) - placeOf(b.path) || a.path.length - b.path.length)
    .slice(0, most)
    .map(({ path }) => path);
}

// scoreOf is 0 without a match. Consecutive letters in the name score more than in the
// path, and both score more than scattered letters.
function scoreOf(path: string, wanted: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith(wanted)) return 4;
  if (name.includes(wanted)) return 3;
  if (path.includes(wanted)) return 2;
  let from = 0;
  for (const letter of wanted) {
    from = path.indexOf(letter, from) + 1;
    if (from === 0) return 0;
  }
  return 1;
}
