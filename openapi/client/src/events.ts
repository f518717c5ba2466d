export interface ServerEvent {
  name: string;
  data: string;
}

/** Cuts a text/event-stream into events. Pieces may end anywhere, even inside a line. */
export class EventParser {
  #rest = '';
  #name = '';
  #data: string[] = [];

  push(piece: string): ServerEvent[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): ServerEvent[] {
    if (line === '') return this.#dispatch();
    const [, field = line, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') this.#name = value;
    if (field === 'data') this.#data.push(value);
    return [];
  }

  #dispatch(): ServerEvent[] {
    const events = this.#data.length > 0 ? [{ name: this.#name || 'message', data: this.#data.join('\n') }] : [];
    this.#name = '';
    this.#data = [];
    return events;
  }
}

/**
 * Reads the events of an answer until it ends; for streams that need a bearer token, which EventSource cannot send.
 * Calls `abort` after so many milliseconds without a byte: then the connection is dead.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
  silence: { milliseconds: number; abort: () => void },
): Promise<void> {
  const parser = new EventParser();
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let timer = setTimeout(silence.abort, silence.milliseconds);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(silence.abort, silence.milliseconds);
      parser.push(value).forEach(onEvent);
    }
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => undefined);
  }
}

/** Milliseconds before the n-th attempt, from 1: doubled each time up to the longest. */
export const backoff = (attempt: number, first: number, longest: number): number =>
  Math.min(longest, first * 2 ** (attempt - 1));
