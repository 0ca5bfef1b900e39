export const palette = {
  groups: {
    recent: 'Recent',
    here: 'On this page',
    files: 'Files',
    chats: 'Chats',
    models: 'Models',
    projects: 'Projects',
    go: 'Go to',
    look: 'Theme and language',
    help: 'Help and account',
  },
  invite: 'Invite people',
  providers: 'AI providers',
  openSite: 'Open the published site',
};
