// A wallet implemented from Trustee's specification only. It reads tasks from standard input, one line of JSON each, and responds with one line
// each. It shares no code with the server.

import { createHmac } from 'node:crypto';
import { createInterface } from 'node:readline';

/** Trustee's signature of a flat object and a timestamp. */
function signatureOf(object, time, secret) {
  const parts = [];
  for (const name of Object.keys(object).sort()) {
    const value = object[name];
    if (value && typeof value !== 'object') parts.push(name.toLowerCase(), String(value).toLowerCase());
  }
  parts.push('timestamp', time);
  return createHmac('sha512', secret).update(parts.join('')).digest('hex');
}

/** A request. Changes from `task` are applied after signing. */
function prepared(task) {
  const content = task.body ?? task.query ?? {};
  const time = String(task.now);
  const headers = {
    'trustee-public-key': task.key,
    'trustee-timestamp': time,
    'trustee-signature': signatureOf(content, time, task.signedWith ?? task.secret),
    'trustee-env': 'PROD',
    ...(task.body ? { 'content-type': 'application/json' } : {}),
    ...task.headers,
  };
  for (const name of task.without ?? []) delete headers[name];
  const query = task.query ? `?${new URLSearchParams(task.query)}` : '';
  return { url: task.root + task.path + (task.asQuery ?? query), method: task.method, headers, text: task.asText ?? (task.body && JSON.stringify(task.body)) };
}

async function sent(call, secret) {
  const response = await fetch(call.url, {
    method: call.method,
    headers: { ...call.headers, connection: 'close' },
    body: call.text,
  });
  const text = await response.text();
  const time = response.headers.get('trustee-timestamp');
  const body = text ? JSON.parse(text) : null;
  const isSigned = time !== null && response.headers.get('trustee-signature') === signatureOf(body, time, secret);
  return { status: response.status, body, time, isSigned, call };
}

/** Sends a request until there is a response, with a new timestamp and signature each time. */
async function insisted(task) {
  for (let tries = 1; ; tries += 1) {
    try {
      return { ...(await sent(prepared({ ...task, now: task.now + tries }), task.secret)), tries };
    } catch (lost) {
      if (tries >= 60) throw lost;
    }
  }
}

const tasks = {
  sign: async (task) => ({ signature: signatureOf(task.body, String(task.now), task.secret) }),
  call: async (task) => sent(prepared(task), task.secret),
  again: async (task) => sent(task.call, task.secret),
  insist: insisted,
  // Concurrent equal requests, signed a millisecond apart.
  together: async (task) => ({
    answers: await Promise.all(
      Array.from({ length: task.number }, (_, place) => sent(prepared({ ...task, now: task.now + place }), task.secret)),
    ),
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const task = JSON.parse(line);
  console.log(JSON.stringify(await tasks[task.do](task)));
}
