import type { Text } from '../en';

export const auth: Text['auth'] = {
  titles: {
    login: 'Willkommen zurück',
    signup: 'Konto anlegen',
    first: 'Das erste Konto anlegen',
    forgot: 'Passwort vergessen',
    reset: 'Neues Passwort',
  },
  email: 'E-Mail',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  passwordRule: 'Mindestens 8 Zeichen.',
  name: 'Ihr Name',
  optional: 'Freiwillig; andere sehen ihn neben dem, was Sie tun.',
  signIn: 'Anmelden',
  signUp: 'Registrieren',
  createAccount: 'Konto anlegen',
  forgot: 'Passwort vergessen?',
  noAccount: 'Neu hier?',
  haveAccount: 'Sie haben schon ein Konto?',
  goOnWith: (provider) => `Weiter mit ${provider}`,
  or: 'oder',
  ended:
    'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um dort weiterzumachen; was Sie geschrieben haben, ist noch da.',
  wrong: 'E-Mail oder Passwort ist falsch.',
  taken: 'Zu dieser E-Mail gibt es schon ein Konto. Melden Sie sich an, oder setzen Sie Ihr Passwort zurück.',
  closed: {
    title: 'Konten gibt es auf Einladung',
    invite:
      'Hier können nur eingeladene Personen ein Konto anlegen. Bitten Sie jemanden, der hier arbeitet, um eine Einladung, oder die Betreiber des Dienstes. Wenn Sie einen Link haben, öffnen Sie ihn.',
    domains: (domains) =>
      `Hier können nur Personen mit einer Adresse bei ${domains} ein Konto anlegen, und wer eingeladen ist. Wenn Sie einen Link haben, öffnen Sie ihn.`,
    refused:
      'Diese Einladung passt nicht zur Adresse, wurde schon benutzt oder ist abgelaufen. Bitten Sie um eine neue.',
  },
  noPasswords: 'Hier gibt es keine Passwörter: Gehen Sie mit einem der Anbieter weiter, oder nehmen Sie einen Passkey.',
  disabled: 'Dieses Konto ist gesperrt. Fragen Sie die Betreiber des Dienstes.',
  refused: 'Die Anmeldung hat nicht geklappt. Versuchen Sie es noch einmal, oder nehmen Sie Ihr Passwort.',
  refusals: {
    access_denied: 'Sie haben die Anmeldung nicht erlaubt.',
    email_unverified:
      'Der Anbieter hat Ihre E-Mail-Adresse nicht bestätigt. Bestätigen Sie sie dort, oder melden Sie sich mit Passwort an.',
    invalid_state: 'Die Anmeldung hat zu lange gedauert oder wurde anderswo begonnen. Versuchen Sie es noch einmal.',
    no_email: 'Der Anbieter hat keine E-Mail-Adresse genannt.',
    signup_closed: 'Hier können nur eingeladene Personen ein Konto anlegen. Fragen Sie die Betreiber des Dienstes.',
    account_disabled: 'Dieses Konto ist gesperrt. Fragen Sie die Betreiber des Dienstes.',
    company_sign_in: 'Ihre Firma hat eine eigene Anmeldung. Nehmen Sie die oben.',
    email_domain:
      'Dieser Anbieter darf Personen mit Ihrer E-Mail-Adresse nicht anmelden. Fragen Sie die Betreiber des Dienstes.',
    too_many_groups:
      'Sie sind in zu vielen Gruppen, deshalb nennt der Anbieter keine. Er muss nur die Gruppen dieser Anwendung schicken; fragen Sie seine Administratoren.',
  },
  forgotHint: 'Sie bekommen eine Mail mit einem Link, der eine Stunde lang gilt.',
  send: 'Link schicken',
  sent: (email) => `Wenn es zu ${email} ein Konto gibt, ist eine Mail unterwegs. Sehen Sie auch im Spam-Ordner nach.`,
  backToSignIn: 'Zurück zur Anmeldung',
  setPassword: 'Passwort setzen',
  changed: 'Ihr Passwort wurde geändert. Alle anderen Geräte sind abgemeldet.',
  deadLink: 'Dieser Link wurde schon benutzt oder ist abgelaufen. Fordern Sie einen neuen an.',
  anotherLink: 'Noch einen Link schicken',
  second: {
    hint: 'Geben Sie den Code ein, den Ihre Authenticator-App zeigt.',
    code: 'Code aus der App',
    wrong: 'Dieser Code ist falsch oder wurde schon benutzt.',
    lapsed: 'Das hat zu lange gedauert, oder zu viele Codes waren falsch. Melden Sie sich noch einmal an.',
    useRecovery: 'Wiederherstellungscode nehmen',
    recoveryHint: 'Geben Sie einen der Wiederherstellungscodes ein, die Sie aufgehoben haben. Jeder gilt einmal.',
    recoveryCode: 'Wiederherstellungscode',
    useApp: 'App nehmen',
  },
  verify: {
    title: 'Adresse bestätigen',
    hint: 'Bestätigen Sie, dass der Link für dieses Konto sein soll. Wenn Sie ihn nicht angefordert haben, schließen Sie die Seite.',
    confirm: 'Adresse bestätigen',
    done: 'Ihre Adresse ist bestätigt.',
    dead: 'Dieser Link wurde schon benutzt oder ist abgelaufen. In Ihrem Profil bekommen Sie einen neuen.',
    toProfile: 'Zum Profil',
    wrong: (email) =>
      `Dieser Link gilt nicht für ${email}. Melden Sie sich mit dem Konto an, das ihn angefordert hat. War es keines von Ihren, schließen Sie die Seite.`,
    creator:
      'Haben Sie dieses Konto selbst angelegt? Hier haben Sie sich erst später angemeldet, deshalb wissen das nur Sie.',
    mine: 'Ja, alles behalten',
    notMine: 'Nein, oder ich bin nicht sicher',
    notMineHint:
      'Sie wählen dann per Mail ein neues Passwort. Das entfernt alles, womit andere wieder ins Konto kämen, etwa API-Token und Einladungen.',
  },
  unverified: {
    title: 'Bestätigen Sie Ihre E-Mail-Adresse',
    hint: (email) =>
      `Öffnen Sie zuerst den Link, den wir an ${email} geschickt haben. Sehen Sie auch im Spam-Ordner nach.`,
    goOn: 'Ich habe den Link geöffnet',
    missing: 'Ihre Adresse ist noch nicht bestätigt. Öffnen Sie zuerst den Link in der E-Mail.',
    send: 'Link noch einmal schicken',
    change: 'Andere Adresse nehmen',
    account: 'Kontoeinstellungen',
  },
  invite: {
    title: 'Sie sind eingeladen',
    to: (workspace) => `${workspace} beitreten`,
    signedOut: (inviter, workspace, email) =>
      `${inviter} lädt Sie ein, in ${workspace} mitzuarbeiten. Legen Sie mit ${email} ein Konto an, oder melden Sie sich damit an.`,
    signedIn: (inviter, workspace) =>
      `${inviter} lädt Sie ein, in ${workspace} mitzuarbeiten. Sobald Sie beitreten, sehen Sie die Projekte.`,
    as: (email) => `Sie sind als ${email} angemeldet.`,
    join: 'Dem Arbeitsbereich beitreten',
    joined: (name) => `Willkommen bei ${name}.`,
    wrong: (email) =>
      `Die Einladung ging an eine andere Adresse als ${email}. Melden Sie sich ab, und mit der Adresse an, die die Mail bekommen hat.`,
    other: 'Anderes Konto nehmen',
    dead: 'Dieser Link wurde benutzt, zurückgenommen, oder ist älter als 7 Tage. Bitten Sie um einen neuen.',
    toProjects: 'Zu Ihren Projekten',
  },
};
