import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dice } from '~/testing/random';
import { EventParser, readEvents, type StreamEvent } from './stream';

function parsed(pieces: string[]): StreamEvent[] {
  const events: StreamEvent[] = [];
  const parser = new EventParser((event) => events.push(event));
  for (const piece of pieces) parser.push(piece);
  return events;
}

test('events are the same, however the stream was cut', () => {
  const dice = new Dice(61);
  for (let round = 0; round < 500; round++) {
    const stream = dice
      .list(20, () =>
        dice.of([
          'id: 7\n',
          'data: {"a":1}\n',
          'data:x\r\n',
          '\n',
          '\r\n',
          ': ping\n\n',
          'event: y\n',
          'data\n',
          'data: ü😀\n\n',
        ]),
      )
      .join('');
    assert.deepEqual(parsed(dice.cut(stream)), parsed([stream]), JSON.stringify(stream));
  }
});

test('an event has its id and all lines of its data', () => {
  assert.deepEqual(parsed(['id: 7\ndata: a\ndata:  b\n\n']), [{ id: '7', data: 'a\n b' }]);
});

test('pings and events without data are skipped, and so is an event that has not ended', () => {
  assert.deepEqual(parsed([': ping\n\nid: 3\n\n\n\ndata: late']), []);
});

test('whatever comes is heard, and text that is cut inside a letter stays whole', async () => {
  const bytes = new TextEncoder().encode(': ping\n\ndata: ü😀\n\n');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  const events: StreamEvent[] = [];
  let heard = 0;
  await readEvents(
    new Response(body),
    (event) => events.push(event),
    () => heard++,
  );
  assert.deepEqual(events, [{ id: '', data: 'ü😀' }]);
  assert(heard > 5);
});

test('what take throws ends the reading', async () => {
  const answer = new Response('data: a\n\ndata: b\n\n');
  const seen: string[] = [];
  await assert.rejects(
    readEvents(answer, ({ data }) => {
      seen.push(data);
      throw new Error('enough');
    }),
    /enough/,
  );
  assert.deepEqual(seen, ['a']);
});
