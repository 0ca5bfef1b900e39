// The words of passkeys: in the settings, on the sign-in page and in its second step.

export const passkeys = {
  title: 'Passkeys',
  hint: 'Sign in with your fingerprint, your face or your screen lock instead of a password. A passkey can’t be guessed, and a fake page can’t ask for it.',
  secondHint:
    'Once you have one, your password alone doesn’t let anyone in: signing in with it takes a passkey or a code as well.',
  add: 'Add a passkey',
  addedAt: 'Added',
  full: (most: number) => `You have ${most} passkeys, and more isn’t possible. Delete one that you no longer use.`,
  areSecond: 'Your passkeys are the second step after your password. If you add an app, its codes work as well.',
  obstacles: {
    insecure:
      'Passkeys need a secure connection. Open this page at an address that begins with https://. If there isn’t one, ask the people who run this service.',
    unnamed:
      'Passkeys need an address with a name, such as atelier.example.com. You opened this service by a number (its IP address). If there’s no name, ask the people who run this service.',
    unsupported:
      'This browser doesn’t support passkeys. Update it, or open this page in a recent Chrome, Edge, Firefox or Safari.',
  },

  makeHint:
    'Choose a name. Then your browser asks for your fingerprint, your face or your screen lock, or where to keep the passkey.',
  name: 'Name',
  nameHint: 'So that you recognize it in the list later.',
  make: 'Create passkey',
  again: 'Start again',
  added: (name: string) => `The passkey ${name} was added.`,
  devices: { windows: 'Windows PC', android: 'Android phone', linux: 'Linux computer', other: 'My passkey' },

  remove: (name: string) => `Delete ${name}`,
  removeTitle: (name: string) => `Delete ${name}?`,
  removeHint:
    'You’ll no longer be able to sign in with it. Your device may still offer it: delete it there too, in its password settings.',
  lastHint: 'It’s your last passkey, so your password alone will be enough to sign in.',
  removeIt: 'Delete passkey',
  removed: (name: string) => `The passkey ${name} was deleted.`,

  code: 'Code',
  codeHint: 'From your authenticator app, or one of the recovery codes you saved.',
  prove: 'Confirm with a passkey',
  wrongEither: 'The password is wrong, or the passkey isn’t one of this account.',

  signIn: 'Sign in with a passkey',
  use: 'Use a passkey',
  useCode: 'Use a code instead',
  stepHint: 'Confirm with one of your passkeys that it’s you.',
  unknown: 'This passkey doesn’t work here. It may have been deleted. Sign in with your email and password.',
  notAccepted: 'This passkey was not accepted. Try another one, or use a code.',
  over: 'That took too long. Start again.',
  exists: 'This device already has a passkey for your account.',
  elsewhere:
    'Passkeys don’t work at this address. Open the service at the address that the people who run it gave you.',
  failed: 'Your browser couldn’t use a passkey. Try again, or use another device.',
};
