const MASK = (1n << 64n) - 1n;

const ROUND_CONSTANTS = [
  0x0000000000000001n,
  0x0000000000008082n,
  0x800000000000808an,
  0x8000000080008000n,
  0x000000000000808bn,
  0x0000000080000001n,
  0x8000000080008081n,
  0x8000000000008009n,
  0x000000000000008an,
  0x0000000000000088n,
  0x0000000080008009n,
  0x000000008000000an,
  0x000000008000808bn,
  0x800000000000008bn,
  0x8000000000008089n,
  0x8000000000008003n,
  0x8000000000008002n,
  0x8000000000000080n,
  0x000000000000800an,
  0x800000008000000an,
  0x8000000080008081n,
  0x8000000000008080n,
  0x0000000080000001n,
  0x8000000080008008n,
];

const ROTATIONS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
const LANES = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];

const rotate = (value: bigint, by: number) => ((value << BigInt(by)) | (value >> BigInt(64 - by))) & MASK;

function permute(state: bigint[]): void {
  const at = (index: number) => state[index] ?? 0n;
  for (const constant of ROUND_CONSTANTS) {
    const columns = [0, 1, 2, 3, 4].map((x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20));
    for (let x = 0; x < 5; x++) {
      const change = (columns[(x + 4) % 5] ?? 0n) ^ rotate(columns[(x + 1) % 5] ?? 0n, 1);
      for (let y = 0; y < 25; y += 5) {
        state[x + y] = at(x + y) ^ change;
      }
    }
    let carried = at(1);
    LANES.forEach((lane, index) => {
      const next = at(lane);
      state[lane] = rotate(carried, ROTATIONS[index] ?? 0);
      carried = next;
    });
    for (let y = 0; y < 25; y += 5) {
      const row = [0, 1, 2, 3, 4].map((x) => at(x + y));
      for (let x = 0; x < 5; x++) {
        state[x + y] = (row[x] ?? 0n) ^ (~(row[(x + 1) % 5] ?? 0n) & MASK & (row[(x + 2) % 5] ?? 0n));
      }
    }
    state[0] = at(0) ^ constant;
  }
}

/** Keccak-256 of a short ASCII text (under 136 bytes), in hex: all an EIP-55 checksum needs. */
export function keccak256(text: string): string {
  const block = new Uint8Array(136);
  block.set([...text].map((character) => character.charCodeAt(0)));
  block[text.length] = 1;
  block[135] = (block[135] ?? 0) | 0x80;
  const state = Array.from({ length: 25 }, (_, lane) => {
    let value = 0n;
    for (let byte = 7; byte >= 0; byte--) {
      value = (value << 8n) | BigInt(block[lane * 8 + byte] ?? 0);
    }
    return value;
  });
  permute(state);
  const bytes = state
    .slice(0, 4)
    .flatMap((lane) => Array.from({ length: 8 }, (_, i) => Number((lane >> BigInt(8 * i)) & 255n)));
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
