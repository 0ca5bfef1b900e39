import { Atelier, AtelierError } from './sdk';

declare const process: { env: { URL: string; TOKEN: string; WORKSPACE: string } };

const { URL: url, TOKEN: token, WORKSPACE: workspace } = process.env;
const atelier = new Atelier({ url, token: async () => token });

const project = await atelier.createProject(workspace, { name: 'By a program', template: 'static-html' });
const written = await atelier.writeFile(project.id, 'pages/ä b.html', '<h1>Hello</h1>', { headers: { 'If-None-Match': '*' } });
const listed = await atelier.listFiles(project.id);
const text = await (await atelier.readFile(project.id, 'pages/ä b.html')).text();
const found = await atelier.listProjects({ query: { workspaceId: workspace, q: 'program', limit: 1 } });

const { items: chats } = await atelier.listChats(project.id);
const kinds: string[] = [];
for await (const { id, data } of atelier.sendMessage(project.id, { chatId: chats[0].id, text: 'Change the heading to Moin' })) {
  if (data.type === 'session.task_complete' && id !== null) kinds.push(data.reason);
}

let refusal = '';
try {
  await atelier.createProject(workspace, { name: '' });
} catch (error) {
  if (!(error instanceof AtelierError)) throw error;
  refusal = `${error.status} ${error.code}`;
}
await atelier.deleteFile(project.id, written.path);

console.log(JSON.stringify({ files: Array.isArray(listed) && listed.some((file) => file.path === written.path), text, found: found.items[0]?.name, kinds, refusal }));
