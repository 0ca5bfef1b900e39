import type { Workbench } from '../en/workbench';

export const signIns: Workbench['data']['signIns'] = {
  title: 'Anmeldung',
  hint: {
    test: 'Lassen Sie Menschen sich in der Vorschau mit einem Konto anmelden, das sie anderswo haben, etwa bei Google oder GitHub.',
    live: 'Lassen Sie Besucher Ihrer veröffentlichten Seite sich mit einem Konto anmelden, das sie anderswo haben, etwa bei Google oder GitHub.',
  },
  locked: 'Nur für die Verwaltung',
  lockedHint: 'Womit sich Besucher der veröffentlichten Seite anmelden, bestimmt die Verwaltung des Arbeitsbereichs.',
  add: 'Anbieter hinzufügen',
  change: 'Ändern',
  changeTitle: (name) => `${name} ändern`,
  remove: 'Entfernen',
  removeTitle: (name) => `${name} entfernen?`,
  removeText: {
    test: 'In der Vorschau kann sich damit niemand mehr anmelden. Wer es getan hat, bleibt in den Daten und kann per E-Mail ein Passwort setzen.',
    live: 'Besucher können sich damit nicht mehr anmelden, und zwar sofort. Wer es getan hat, bleibt in den Daten und kann per E-Mail ein Passwort setzen.',
  },
  removed: 'Der Anbieter ist entfernt.',
  gone: 'Diesen Anbieter gibt es nicht mehr.',
  saved: 'Der Anbieter ist gespeichert. Er wirkt sofort.',
  saveLiveTitle: 'Ändern, womit sich Besucher anmelden?',
  saveLiveText: 'Die Änderung gilt sofort für alle Besucher Ihrer veröffentlichten Seite.',
  saveLive: 'Live-Anmeldung ändern',
  none: 'Noch keine Anbieter',
  noneHint: {
    test: 'Fügen Sie einen hinzu und probieren Sie ihn in der Vorschau aus. Die veröffentlichte Seite hat eigene Anbieter.',
    live: 'Fügen Sie einen für die Besucher der veröffentlichten Seite hinzu. Die der Testdaten gelten dort nicht.',
  },
  noUsers:
    'In diesen Daten gibt es noch keine Personen, also kann sich niemand anmelden. Bitten Sie den Agenten um eine Sammlung für sie.',
  usersWish: 'Besucher sollen sich registrieren und anmelden können.',
  askButtons: 'Den Agenten um die Knöpfe bitten',
  buttonsWish: (names) =>
    `Füge der Seite Knöpfe hinzu, mit denen man sich über ${names} anmeldet. Die Anbieter sind unter Daten, Anmeldung eingerichtet.`,
  secretKept: 'Geheimnis hinterlegt',
  clientId: 'Client-ID',

  redirect: 'Weiterleitungsadresse',
  redirectHint: 'Tragen Sie sie bei jedem Anbieter ein. Dorthin kommt man zurück, wenn man sich angemeldet hat.',
  redirectAlso: 'Diese geht auch:',
  noRedirect: 'Die Adresse steht fest, sobald das Projekt veröffentlicht ist.',
  publish: 'Zum Veröffentlichen',

  provider: 'Anbieter',
  kindNames: {
    oidc: 'Anderer (OpenID Connect)',
    oidc2: 'Anderer (OpenID Connect), zweiter',
    oidc3: 'Anderer (OpenID Connect), dritter',
  },
  where: 'Woher Sie ID und Geheimnis bekommen',
  open: (name) => `Seite von ${name} öffnen`,
  guide: (name) =>
    `Melden Sie sich bei ${name} als Entwickler an und registrieren Sie dort eine Anwendung; manche nennen sie Client oder App. Tragen Sie die Weiterleitungsadresse ein und kopieren Sie dann ID und Geheimnis hierher.`,
  guides: {
    google:
      'Legen Sie in der Google Cloud Console einen OAuth-Client vom Typ „Webanwendung“ an. Tragen Sie die Adresse unten bei den autorisierten Weiterleitungs-URIs ein und kopieren Sie dann Client-ID und Clientschlüssel.',
    github:
      'Öffnen Sie auf GitHub Settings, Developer settings, OAuth Apps und registrieren Sie eine neue. Tragen Sie die Adresse unten als Authorization callback URL ein. Kopieren Sie die Client ID und erzeugen Sie ein Client secret.',
    microsoft:
      'Registrieren Sie in Microsoft Entra eine Anwendung für das Web, mit der Adresse unten als Umleitungs-URI. Die Anwendungs-ID ist die Client-ID. Das Geheimnis liegt unter Zertifikate und Geheimnisse: Kopieren Sie den Wert, nicht die ID.',
    apple:
      'Apple verlangt ein bezahltes Entwicklerkonto. Legen Sie eine Services ID mit „Sign in with Apple“ an und tragen Sie die Adresse unten ein. Die Services ID ist die Client-ID. Legen Sie dann unter Keys einen Schlüssel für „Sign in with Apple“ an und laden Sie ihn herunter: Der Dienst macht damit die Geheimnisse, die Apple verlangt.',
    oidc: 'Es geht jeder Dienst, der OpenID Connect spricht, etwa Keycloak, Auth0 oder Okta. Registrieren Sie dort eine Webanwendung mit der Adresse unten. Die drei Adressen stehen in /.well-known/openid-configuration des Dienstes, als authorization_endpoint, token_endpoint und userinfo_endpoint.',
  },
  clientSecret: 'Client-Geheimnis',
  secretHint: 'Es wird verschlüsselt aufbewahrt, und niemand sieht es wieder.',
  secretKeptHint:
    'Ein Geheimnis ist hinterlegt. Lassen Sie das Feld leer, um es zu behalten, oder tragen Sie ein neues ein.',
  secretAgain:
    'Tragen Sie das Geheimnis noch einmal ein, weil sich die Client-ID oder die Adresse für Token geändert hat.',
  teamId: 'Team-ID',
  keyId: 'Schlüssel-ID',
  privateKey: 'Privater Schlüssel (der Inhalt der .p8-Datei)',
  displayName: 'Name auf dem Knopf',
  displayNameHint: (name) => `Leer lassen für „${name}“.`,
  more: 'Weitere Einstellungen',
  ownAddresses: 'Adressen braucht es nur für einen eigenen Server oder Mandanten.',
  authURL: 'Adresse zum Anmelden',
  tokenURL: 'Adresse für Token',
  userInfoURL: 'Adresse für Angaben zur Person',
  pkce: 'PKCE',
  pkceHint: 'Ein zusätzlicher Schutz. Ändern Sie das nur, wenn der Anbieter es verlangt.',
  pkceChoices: { '': 'Wie beim Anbieter üblich', on: 'Immer', off: 'Nie' },
  wrong: {
    missing: 'Das darf nicht leer bleiben.',
    long: 'Das ist zu lang.',
    line: 'Das muss eine Zeile sein, ohne Steuerzeichen.',
    address: 'Das muss eine Adresse sein, die mit https:// beginnt, ohne Benutzer und ohne #.',
    appleId: 'Das müssen 10 Großbuchstaben und Ziffern sein, wie Apples Entwicklerseiten sie zeigen.',
    key: 'Das muss die ganze Datei sein, von -----BEGIN PRIVATE KEY----- bis -----END PRIVATE KEY-----.',
    again: 'Tragen Sie das Geheimnis noch einmal ein, weil sich die Client-ID oder die Adresse für Token geändert hat.',
    private: 'Diese Adresse liegt in einem privaten Netz, das der Dienst nicht anspricht.',
    refused: 'Der Dienst nimmt diesen Wert nicht an. Vergleichen Sie ihn mit dem, was der Anbieter zeigt.',
  },
};
