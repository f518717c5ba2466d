export type ServerEvent = { name: string; data: string };

/** Cuts a text/event-stream into events. Pieces may end anywhere, even inside a line. */
export class ServerEvents {
  private rest = '';
  private name = '';
  private data: string[] = [];

  push(piece: string): ServerEvent[] {
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.line(line));
  }

  private line(line: string): ServerEvent[] {
    if (line === '') {
      return this.dispatch();
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.name = value;
    if (field === 'data') this.data.push(value);
    return [];
  }

  private dispatch(): ServerEvent[] {
    const event = { name: this.name || 'message', data: this.data.join('\n') };
    const hasData = this.data.length > 0;
    this.name = '';
    this.data = [];
    return hasData ? [event] : [];
  }
}
