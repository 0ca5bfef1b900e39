// The words of the data pane's view of where end users sign in.

export const signIns = {
  title: 'Sign-in',
  hint: {
    test: 'Let people sign in to the preview with an account they already have, such as Google or GitHub.',
    live: 'Let visitors of your published site sign in with an account they already have, such as Google or GitHub.',
  },
  locked: 'For admins only',
  lockedHint: 'Only workspace admins can set how visitors sign in to the published site.',
  add: 'Add provider',
  change: 'Change',
  changeTitle: (name: string) => `Change ${name}`,
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: {
    test: 'No one can sign in to the preview with it anymore. People who did stay in the data and can set a password by email.',
    live: 'Visitors can no longer sign in with it, effective immediately. People who did stay in the data and can set a password by email.',
  },
  removed: 'Provider removed',
  gone: 'This provider no longer exists.',
  saved: 'Provider saved. It works right away.',
  saveLiveTitle: 'Change how visitors sign in?',
  saveLiveText: 'The change applies to all visitors of your published site immediately.',
  saveLive: 'Change live sign-in',
  none: 'No providers yet',
  noneHint: {
    test: 'Add one and try it in the preview. The published site has its own providers.',
    live: 'Add one for visitors of the published site. Providers for test data aren’t used there.',
  },
  noUsers: 'There are no people in this data yet, so no one can sign in. Ask the agent for a collection of users.',
  usersWish: 'Let visitors sign up and sign in.',
  askButtons: 'Ask the agent for the buttons',
  buttonsWish: (names: string) =>
    `Add buttons to the page for signing in with ${names}. The providers are set up under Data, Sign-in.`,
  secretKept: 'secret stored',
  clientId: 'Client ID',

  redirect: 'Redirect address',
  redirectHint: 'Enter it at each provider. People come back to it after signing in.',
  redirectAlso: 'This one works too:',
  noRedirect: 'You’ll get the address once the project is published.',
  publish: 'Go to Publish',

  provider: 'Provider',
  kindNames: {
    oidc: 'Other (OpenID Connect)',
    oidc2: 'Other (OpenID Connect), second',
    oidc3: 'Other (OpenID Connect), third',
  } as Record<string, string>,
  where: 'Where to get the ID and secret',
  open: (name: string) => `Open the page of ${name}`,
  guide: (name: string) =>
    `Sign in to ${name} as a developer and register an application there (some call it a client or an app). Enter the redirect address, then copy the ID and secret here.`,
  guides: {
    google:
      'In the Google Cloud console, create an OAuth client of the type “Web application”. Enter the address below among the authorized redirect URIs, then copy the client ID and the client secret.',
    github:
      'On GitHub, open Settings, Developer settings, OAuth Apps, and register a new one. Enter the address below as the authorization callback URL. Copy the client ID, and generate a client secret.',
    microsoft:
      'In Microsoft Entra, register an application for the web with the address below as its redirect URI. The application ID is the client ID. The secret is under Certificates & secrets: copy its value, not its ID.',
    apple:
      'Apple requires a paid developer account. Create a Services ID with Sign in with Apple, and enter the address below. The Services ID is the client ID. Then create a key for Sign in with Apple under Keys and download it. The server uses it to make the secrets that Apple asks for.',
    oidc: 'Any service that speaks OpenID Connect works, such as Keycloak, Auth0 or Okta. Register a web application there with the address below. The three addresses are in the service’s /.well-known/openid-configuration, as authorization_endpoint, token_endpoint and userinfo_endpoint.',
  } as Record<string, string>,
  clientSecret: 'Client secret',
  secretHint: 'Stored encrypted. No one can see it again.',
  secretKeptHint: 'A secret is stored. Leave this empty to keep it, or enter a new one.',
  secretAgain: 'Enter the secret again, because the client ID or the token address has changed.',
  teamId: 'Team ID',
  keyId: 'Key ID',
  privateKey: 'Private key (the content of the .p8 file)',
  displayName: 'Name on the button',
  displayNameHint: (name: string) => `Leave empty for “${name}”.`,
  more: 'More settings',
  ownAddresses: 'You only need addresses for your own server or tenant.',
  authURL: 'Authorization URL',
  tokenURL: 'Token URL',
  userInfoURL: 'User info URL',
  pkce: 'PKCE',
  pkceHint: 'Extra protection. Change it only if the provider asks you to.',
  pkceChoices: { '': 'Provider’s default', on: 'Always', off: 'Never' },
  wrong: {
    missing: 'This can’t be empty.',
    long: 'This is too long.',
    line: 'Use a single line, without control characters.',
    address: 'Use an address that begins with https://, without a user name and without #.',
    appleId: 'Use 10 capital letters and digits, as Apple’s developer pages show them.',
    key: 'Paste the whole file, from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY-----.',
    again: 'Enter the secret again, because the client ID or the token address has changed.',
    private: 'This address is in a private network, which this server may not call.',
    refused: 'This value wasn’t accepted. Check it against what the provider shows.',
  },
};
