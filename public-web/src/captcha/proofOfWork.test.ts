import { createHash, pbkdf2Sync } from 'node:crypto';
import { solve } from './proofOfWork';

it('finds the counter the server chose', async () => {
  const nonce = createHash('sha256').update('nonce').digest('hex').slice(0, 32);
  const salt = createHash('sha256').update('salt').digest('hex').slice(0, 32);
  const chosen = 37;
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(chosen);
  const password = Buffer.concat([Buffer.from(nonce, 'hex'), counter]);
  const derivedKey = pbkdf2Sync(password, Buffer.from(salt, 'hex'), 10, 32, 'sha256').toString('hex');
  const parameters = {
    algorithm: 'PBKDF2/SHA-256',
    nonce,
    salt,
    cost: 10,
    keyLength: 32,
    keyPrefix: derivedKey.slice(0, 32),
    data: { action: 'claim', expiresAt: 0 },
  };
  expect(await solve({ parameters, signature: '' })).toMatchObject({ counter: chosen, derivedKey });
});
