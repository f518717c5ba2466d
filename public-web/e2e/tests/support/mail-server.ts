import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { expect } from '@playwright/test';

type Email = { recipients: string[]; content: string };

/** Accepts the emails that a server delivers, and keeps them for those whom they are for. */
export class MailServer {
  private readonly emails: Email[] = [];
  private readonly server = createServer((socket) => {
    let email: Email = { recipients: [], content: '' };
    let isContent = false;
    socket.write('220 ready\r\n');
    createInterface({ input: socket }).on('line', (line) => {
      if (isContent && line !== '.') {
        email.content += `${line}\n`;
        return;
      }
      const [command = ''] = line.split(' ');
      const [, recipient] = /^RCPT TO:<([^>]+)>/.exec(line) ?? [];
      if (recipient) email.recipients.push(recipient);
      if (isContent) {
        this.emails.push(email);
        email = { recipients: [], content: '' };
      }
      isContent = command === 'DATA';
      socket.write(`${isContent ? 354 : command === 'QUIT' ? 221 : 250} ok\r\n`);
    });
  });

  get recipients(): string[] {
    return this.emails.flatMap(({ recipients }) => recipients);
  }

  /** Waits for an email with a link that holds a secret, and gives the path that it leads to. */
  async link(to: string): Promise<string> {
    const found = () =>
      this.emails
        .filter(({ recipients }) => recipients.includes(to))
        .map(({ content }) => /https?:\/\/\S+#\S+/.exec(decoded(content))?.[0])
        .find((link) => link !== undefined);
    await expect.poll(found).toBeDefined();
    const { pathname, hash } = new URL(found() ?? '');
    return pathname + hash;
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  close(): void {
    this.server.close();
  }
}

/** The parts of a message as they are read: in 7 bits, quoted-printable or base64. */
function decoded(message: string): string {
  const parts = message.split(/^--.*$/m).map((part) => {
    const [head = '', ...body] = part.trimStart().split('\n\n');
    const [, encoding = '7bit'] = /^content-transfer-encoding: *(\S+)/im.exec(head) ?? [];
    const text = body.join('\n\n');
    if (encoding === 'base64') return Buffer.from(text, 'base64').toString();
    if (encoding !== 'quoted-printable') return text;
    const bytes = text
      .replace(/=\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString();
  });
  return parts.join('\n');
}
