import type { Workbench } from '../en/workbench';

export const site: Workbench['site'] = {
  title: 'Einstellungen der Seite',
  hint: 'Was Suchmaschinen und Links zur Seite zeigen, und wer sie öffnen kann. Eine veröffentlichte Seite folgt sofort.',
  fields: {
    title: 'Titel',
    description: 'Beschreibung',
    image: 'Bild für Links',
    favicon: 'Symbol im Tab',
    language: 'Sprache',
    notFound: '404-Seite',
  },
  hints: {
    title: 'Leere Felder lassen, was die Seiten selbst sagen.',
    description: 'Ein oder zwei Sätze, für Suchergebnisse und geteilte Links.',
    image: 'Eine Datei der Seite oder eine Webadresse. Etwa 1200 × 630 Pixel.',
    favicon: 'Eine Datei der Seite oder eine Webadresse.',
    language: 'Etwa en, de oder pt-BR.',
    notFound: 'Eine Seite der Website. Ohne sie zeigt die Anwendung ihre eigene.',
  },
  wrong: {
    title: 'Eine Zeile mit höchstens 200 Zeichen.',
    description: 'Höchstens 500 Zeichen.',
    image: 'Geben Sie eine Webadresse mit https:// ein oder einen Pfad, der mit / beginnt, etwa /bild.png.',
    favicon: 'Geben Sie eine Webadresse mit https:// ein oder einen Pfad, der mit / beginnt, etwa /favicon.svg.',
    language: 'Geben Sie ein Sprachkürzel ein, etwa de oder pt-BR.',
    notFound: 'Geben Sie den Pfad einer Seite ein, etwa /404.html.',
  },
  index: 'Suchmaschinen dürfen die Seite aufnehmen',
  indexHint: 'Bis sie es merken, dauert es eine Weile.',
  access: 'Wer die Seite öffnen kann',
  accesses: { public: 'Alle', password: 'Wer das Passwort kennt', workspace: 'Mitglieder des Arbeitsbereichs' },
  accessHints: {
    public: 'Alle, die die Adresse haben.',
    password: 'Besucher geben das Passwort einmal ein; es gilt 30 Tage.',
    workspace: 'Besucher melden sich mit ihrem eigenen Konto bei Atelier an.',
  },
  password: 'Passwort der Seite',
  passwordHint: 'Mindestens 8 Zeichen.',
  passwordKept: 'Leer lassen behält das bisherige. Nach einem neuen werden alle wieder gefragt.',
  save: 'Einstellungen speichern',
  saved: 'Die Einstellungen sind gespeichert.',
};

export const visits: Workbench['visits'] = {
  title: 'Besuche',
  hint: (days) => `Die letzten ${days} Tage. Gezählt ohne Cookies und ohne Besucher zu unterscheiden.`,
  none: 'Noch hat niemand die Seite geöffnet.',
  total: (visits, views) => `Besuche: ${visits} · Geöffnete Seiten: ${views}`,
  pages: 'Seiten',
  referrers: 'Woher Besucher kommen',
  others: 'Andere',
};
