import type { Text } from '../en';

export const passkeys: Text['passkeys'] = {
  title: 'Passkeys',
  hint: 'Melden Sie sich mit Fingerabdruck, Gesicht oder Displaysperre an statt mit einem Passwort. Ein Passkey lässt sich nicht erraten, und eine gefälschte Seite kann ihn nicht abfragen.',
  secondHint:
    'Sobald Sie einen haben, genügt Ihr Passwort allein nicht mehr: Wer sich damit anmeldet, braucht außerdem einen Passkey oder einen Code.',
  add: 'Passkey hinzufügen',
  addedAt: 'Hinzugefügt',
  full: (most) => `Sie haben ${most} Passkeys, mehr gehen nicht. Löschen Sie einen, den Sie nicht mehr brauchen.`,
  areSecond:
    'Ihre Passkeys sind der zweite Schritt nach dem Passwort. Wenn Sie eine App hinzufügen, gelten auch deren Codes.',
  obstacles: {
    insecure:
      'Passkeys brauchen eine sichere Verbindung. Öffnen Sie diese Seite unter einer Adresse, die mit https:// beginnt. Wenn es keine gibt, fragen Sie die Betreiber des Dienstes.',
    unnamed:
      'Passkeys brauchen eine Adresse mit einem Namen, etwa atelier.example.com. Sie haben diesen Dienst über eine Nummer geöffnet (seine IP-Adresse). Wenn er keinen Namen hat, fragen Sie die Betreiber des Dienstes.',
    unsupported:
      'Dieser Browser kennt keine Passkeys. Aktualisieren Sie ihn, oder öffnen Sie diese Seite in einem aktuellen Chrome, Edge, Firefox oder Safari.',
  },

  makeHint:
    'Wählen Sie einen Namen. Dann fragt Ihr Browser nach Fingerabdruck, Gesicht oder Displaysperre, oder wo er den Passkey aufbewahren soll.',
  name: 'Name',
  nameHint: 'Damit Sie ihn später in der Liste erkennen.',
  make: 'Passkey erstellen',
  again: 'Noch einmal beginnen',
  added: (name) => `Der Passkey ${name} ist hinzugefügt.`,
  devices: { windows: 'Windows-PC', android: 'Android-Telefon', linux: 'Linux-Rechner', other: 'Mein Passkey' },

  remove: (name) => `${name} löschen`,
  removeTitle: (name) => `${name} löschen?`,
  removeHint:
    'Sie können sich dann nicht mehr damit anmelden. Vielleicht bietet Ihr Gerät ihn noch an: Löschen Sie ihn auch dort, bei den Passwörtern.',
  lastHint: 'Es ist Ihr letzter Passkey, also genügt zum Anmelden wieder das Passwort.',
  removeIt: 'Passkey löschen',
  removed: (name) => `Der Passkey ${name} ist gelöscht.`,

  code: 'Code',
  codeHint: 'Aus Ihrer Authenticator-App, oder ein Wiederherstellungscode, den Sie aufgehoben haben.',
  prove: 'Mit Passkey bestätigen',
  wrongEither: 'Das Passwort ist falsch, oder der Passkey gehört nicht zu diesem Konto.',

  signIn: 'Mit Passkey anmelden',
  use: 'Passkey benutzen',
  useCode: 'Stattdessen einen Code eingeben',
  stepHint: 'Bestätigen Sie mit einem Ihrer Passkeys, dass Sie es sind.',
  unknown: 'Dieser Passkey gilt hier nicht. Vielleicht wurde er gelöscht. Melden Sie sich mit E-Mail und Passwort an.',
  notAccepted: 'Dieser Passkey wurde nicht angenommen. Nehmen Sie einen anderen, oder geben Sie einen Code ein.',
  over: 'Das hat zu lange gedauert. Beginnen Sie noch einmal.',
  exists: 'Dieses Gerät hat schon einen Passkey für Ihr Konto.',
  elsewhere:
    'Unter dieser Adresse gehen keine Passkeys. Öffnen Sie den Dienst unter der Adresse, die Sie von seinen Betreibern haben.',
  failed:
    'Ihr Browser konnte keinen Passkey benutzen. Versuchen Sie es noch einmal, oder nehmen Sie ein anderes Gerät.',
};
