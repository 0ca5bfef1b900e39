import assert from 'node:assert/strict';
import { test } from 'node:test';

import { browser } from '~/testing/browser';
import { type Picture, Queue } from './queue';

const picture: Picture = { id: 'p', name: 'p.png', size: 3, url: 'data:image/png;base64,AAAA' };
const texts = (queue: Queue) => queue.items.value.map(({ text }) => text);
const head = (queue: Queue) => queue.items.value[0]!;

test('messages wait in their order, through a reload', () => {
  browser();
  const queue = new Queue('chat', 'ada');
  for (const text of ['one', 'two', 'three']) queue.push(text, [], {});
  queue.remove(queue.items.value[1]!.id);
  assert.deepEqual(texts(queue), ['one', 'three']);
  assert.deepEqual(texts(new Queue('chat', 'ada')), ['one', 'three']);
  assert.equal(queue.next()?.text, 'one');
});

test('nobody sends what another person wrote, or what belongs to another chat', () => {
  browser();
  new Queue('chat', 'ada').push('secret', [], {});
  assert.deepEqual(texts(new Queue('chat', 'bob')), []);
  assert.deepEqual(texts(new Queue('other', 'ada')), []);
});

test('an empty queue leaves nothing behind', () => {
  const { local } = browser();
  const queue = new Queue('chat', 'ada');
  queue.push('one', [], {});
  queue.remove(head(queue).id);
  assert.equal(local.length, 0);
});

test('what waits for a person holds up the rest', () => {
  browser();
  const queue = new Queue('chat', 'ada');
  queue.push('one', [], {});
  queue.push('two', [], {});
  queue.change(head(queue).id, { error: 'refused' });
  assert.equal(queue.next(), undefined);
  queue.change(head(queue).id, { error: undefined });
  assert.equal(queue.next()?.text, 'one');
});

test('two conversations of a page follow each other', () => {
  browser();
  const [one, other] = [new Queue('chat', 'ada'), new Queue('chat', 'ada')];
  const stop = other.listen();
  one.push('one', [], {});
  assert.deepEqual(texts(other), ['one']);
  stop();
  one.push('two', [], {});
  assert.deepEqual(texts(other), ['one']);
});

test('a message is claimed once', async () => {
  const { another } = browser();
  const queue = new Queue('chat', 'ada');
  queue.push('one', [], {});
  const { id } = head(queue);
  assert.equal(await queue.claim(id), true);
  assert.equal(await queue.claim(id), false);
  another();
  assert.equal(await new Queue('chat', 'ada').claim(id), false);
  assert.equal(queue.next(), undefined);
});

test('what is gone, or waits for a person, cannot be claimed', async () => {
  browser();
  const queue = new Queue('chat', 'ada');
  queue.push('one', [], {});
  const { id } = head(queue);
  queue.change(id, { error: 'images' });
  assert.equal(await queue.claim(id), false);
  queue.remove(id);
  assert.equal(await queue.claim(id), false);
});

test('a message whose conversation was closed over it is cut off, until it is claimed again', async () => {
  browser();
  const queue = new Queue('chat', 'ada');
  queue.push('one', [], {});
  await queue.claim(head(queue).id);
  assert.equal(queue.isCutOff(head(queue)), false);
  queue.release(head(queue).id);
  assert.equal(queue.isCutOff(head(queue)), true);
  queue.change(head(queue).id, { sending: undefined });
  assert.equal(queue.isCutOff(head(queue)), false);
  await queue.claim(head(queue).id);
  assert.equal(queue.isCutOff(head(queue)), false);
});

test('a message is abandoned when the page that was sending it is loaded again, and not while another tab sends it', async () => {
  const { another } = browser();
  const queue = new Queue('chat', 'ada');
  queue.push('one', [], {});
  const { id } = head(queue);
  await queue.claim(id);
  assert.equal(queue.isAbandoned(head(queue)), false);
  queue.release(id);
  assert.equal(new Queue('chat', 'ada').isAbandoned(head(queue)), true);
  another();
  assert.equal(new Queue('chat', 'ada').isAbandoned(head(queue)), false);
  queue.change(id, { sending: Date.now() - 3_600_000 });
  assert.equal(new Queue('chat', 'ada').isAbandoned(head(queue)), true);
});

test('images are whole only in the page that has them', () => {
  browser();
  const queue = new Queue('chat', 'ada');
  queue.push('look', [picture], {});
  assert.equal(queue.isWhole(head(queue)), true);
  assert.equal(new Queue('chat', 'ada').isWhole(head(queue)), false);
});

for (const [name, value] of Object.entries({
  'no JSON': '[{',
  null: 'null',
  'no list': '{"id":"1"}',
  'a number': '7',
})) {
  test(`a storage that holds ${name} is an empty queue`, () => {
    const { local } = browser();
    local.setItem('atelier.queue.chat.ada', value);
    const queue = new Queue('chat', 'ada');
    assert.deepEqual(texts(queue), []);
    queue.push('one', [], {});
    assert.deepEqual(texts(queue), ['one']);
  });
}

test('an invalid message leaves the others in the queue', () => {
  const { local } = browser();
  const item = { id: '1', text: 'one', choice: {}, written: 1, images: 0 };
  local.setItem('atelier.queue.chat.ada', JSON.stringify([null, { id: '2' }, item, { ...item, id: '3', text: 7 }]));
  assert.deepEqual(texts(new Queue('chat', 'ada')), ['one']);
});

for (const [name, room] of Object.entries({ full: 10, forbidden: 0 })) {
  test(`with a storage that is ${name}, messages wait in the page and are sent from there`, async () => {
    const { local, session } = browser();
    const queue = new Queue('chat', 'ada');
    queue.push('before', [], {});
    queue.remove(head(queue).id);
    local.room = room;
    session.room = room;
    queue.push('one', [], {});
    queue.push('two', [], {});
    assert.deepEqual(texts(queue), ['one', 'two']);
    assert.equal(await queue.claim(head(queue).id), true);
    assert.equal(await queue.claim(head(queue).id), false);
    queue.remove(head(queue).id);
    assert.deepEqual(texts(queue), ['two']);
    local.room = Number.POSITIVE_INFINITY;
    queue.push('three', [], {});
    assert.deepEqual(texts(new Queue('chat', 'ada')), ['two', 'three']);
  });
}
