// Server-sent events, read from the body of fetch. Unlike EventSource, this supports every
// method and distinguishes the end of a stream from a broken connection.

export interface StreamEvent {
  id: string;
  data: string;
}

/**
 * readEvents calls take for each event until the body ends. It calls heard for every chunk,
 * pings included.
 */
export async function readEvents(
  answer: Response,
  take: (event: StreamEvent) => void,
  heard?: () => void,
): Promise<void> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser(take);
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard?.();
    parser.push(value);
  }
}

/** EventParser parses a stream that arrives in arbitrary chunks. */
export class EventParser {
  private rest = '';
  private id = '';
  private data: string[] = [];

  constructor(private readonly take: (event: StreamEvent) => void) {}

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop()!;
    for (const line of lines) this.line(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  private line(line: string): void {
    if (line === '') {
      if (this.data.length > 0) this.take({ id: this.id, data: this.data.join('\n') });
      this.data = [];
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id') this.id = value;
    if (name === 'data') this.data.push(value);
  }
}
