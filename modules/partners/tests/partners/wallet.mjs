// A wallet of somebody else's, written from the wallets' contract alone. It takes its tasks from standard input, a line of JSON each, and
// answers each with a line. What it signs and what it believes follows from the contract and its language; nothing of the house is here.

import { createHmac } from 'node:crypto';
import { createInterface } from 'node:readline';

/** The contract's signature of a flat object and a time. */
function signatureOf(object, time, secret) {
  const parts = [];
  for (const name of Object.keys(object).sort()) {
    const value = object[name];
    if (value && typeof value !== 'object') parts.push(name.toLowerCase(), String(value).toLowerCase());
  }
  parts.push('timestamp', time);
  return createHmac('sha512', secret).update(parts.join('')).digest('hex');
}

/** A call before it is sent. What `task` changes of it is changed after it was signed. */
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

/** Sends a call until it is answered, each time signed anew, as the clock goes on. */
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
  // The same call at once, signed a millisecond apart.
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
