// The words of the data pane's view of where end users sign in.

export const signIns = {
  title: 'Sign-in',
  hint: {
    test: 'Let people sign in to the preview with an account they have elsewhere, such as at Google or GitHub.',
    live: 'Let visitors of your published site sign in with an account they have elsewhere, such as at Google or GitHub.',
  },
  locked: 'For admins only',
  lockedHint: 'How visitors of the published site sign in is for admins of the workspace to set.',
  add: 'Add a provider',
  change: 'Change',
  changeTitle: (name: string) => `Change ${name}`,
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: {
    test: 'Nobody can sign in with it to the preview any more. People who signed in with it stay in the data, and can set a password by e-mail.',
    live: 'Visitors can no longer sign in with it, at once. Those who signed in with it stay in the data, and can set a password by e-mail.',
  },
  removed: 'The provider is removed.',
  gone: 'This provider is not there any more.',
  saved: 'The provider is saved. It works at once.',
  saveLiveTitle: 'Change how visitors sign in?',
  saveLiveText: 'The change is for all visitors of your published site, at once.',
  saveLive: 'Change live sign-in',
  none: 'No providers yet',
  noneHint: {
    test: 'Add one, and try it in the preview. The published site has providers of its own.',
    live: 'Add one for the visitors of the published site. Those of the test data are not used there.',
  },
  noUsers: 'There are no people in this data yet, so nobody can sign in. Ask the agent for a collection of users.',
  usersWish: 'Let visitors sign up and sign in.',
  askButtons: 'Ask the agent for the buttons',
  buttonsWish: (names: string) =>
    `Add buttons to the page with which people sign in with ${names}. The providers are set up under Data, Sign-in.`,
  secretKept: 'secret kept',
  clientId: 'Client ID',

  redirect: 'Redirect address',
  redirectHint: 'Enter it at every provider. It is where people come back to after they have signed in.',
  redirectAlso: 'This one works as well:',
  noRedirect: 'The address is known as soon as the project is published.',
  publish: 'To Publish',

  provider: 'Provider',
  kindNames: {
    oidc: 'Other (OpenID Connect)',
    oidc2: 'Other (OpenID Connect), second',
    oidc3: 'Other (OpenID Connect), third',
  } as Record<string, string>,
  where: 'Where you get the ID and the secret',
  open: (name: string) => `Open the page of ${name}`,
  guide: (name: string) =>
    `Sign in at ${name} as a developer and register an application there; some call it a client or an app. Enter the redirect address, then copy the ID and the secret to here.`,
  guides: {
    google:
      'In the Google Cloud console, create an OAuth client of the type “Web application”. Enter the address below among the authorised redirect URIs, then copy the client ID and the client secret.',
    github:
      'On GitHub, open Settings, Developer settings, OAuth Apps, and register a new one. Enter the address below as the authorization callback URL. Copy the client ID, and generate a client secret.',
    microsoft:
      'In Microsoft Entra, register an application for the web with the address below as its redirect URI. The application ID is the client ID. The secret is under Certificates & secrets: copy its value, not its ID.',
    apple:
      'Apple needs a paid developer account. Create a Services ID with Sign in with Apple, and enter the address below. The Services ID is the client ID. Then create a key for Sign in with Apple under Keys, and download it: the service makes the secrets that Apple asks for with it.',
    oidc: 'Any service that speaks OpenID Connect will do, such as Keycloak, Auth0 or Okta. Register a web application there with the address below. The three addresses are in the service’s /.well-known/openid-configuration, as authorization_endpoint, token_endpoint and userinfo_endpoint.',
  } as Record<string, string>,
  clientSecret: 'Client secret',
  secretHint: 'It is stored encrypted, and nobody sees it again.',
  secretKeptHint: 'A secret is kept. Leave this empty to go on with it, or enter a new one.',
  secretAgain: 'Enter the secret again, because the client ID or the token address has changed.',
  teamId: 'Team ID',
  keyId: 'Key ID',
  privateKey: 'Private key (the content of the .p8 file)',
  displayName: 'Name on the button',
  displayNameHint: (name: string) => `Leave this empty for “${name}”.`,
  more: 'More settings',
  ownAddresses: 'Addresses are needed only for a server or tenant of your own.',
  authURL: 'Address for signing in',
  tokenURL: 'Address for tokens',
  userInfoURL: 'Address for user information',
  pkce: 'PKCE',
  pkceHint: 'An additional protection. Change it only if the provider asks for it.',
  pkceChoices: { '': 'What the provider usually does', on: 'Always', off: 'Never' },
  wrong: {
    missing: 'This cannot stay empty.',
    long: 'This is too long.',
    line: 'This must be one line, without control characters.',
    address: 'This must be an address that begins with https://, without a user and without #.',
    appleId: 'This must be 10 capital letters and digits, as Apple’s developer pages show them.',
    key: 'This must be the whole file, from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY-----.',
    again: 'Enter the secret again, because the client ID or the token address has changed.',
    private: 'This address is in a private network, where the service does not go.',
    refused: 'The service does not take this value. Check it against what the provider shows.',
  },
};
