/** Types the server accepts as a receipt. */
export const ACCEPTED_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
/** Types the server accepts as a photo. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;
export const LARGEST_RECEIPT = 10 * 1024 * 1024;

export type ReceiptProblem = 'empty' | 'tooLarge' | 'wrongType';

/** The first bytes of each type; WebP repeats its name after four bytes of length. */
const SIGNATURES: readonly { type: (typeof ACCEPTED_TYPES)[number]; at: number; bytes: readonly number[] }[] = [
  { type: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47] },
  { type: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
  { type: 'application/pdf', at: 0, bytes: [0x25, 0x50, 0x44, 0x46] },
];

/** The type by the content, as the server detects it; null when it is not accepted. */
export function sniffType(head: Uint8Array): (typeof ACCEPTED_TYPES)[number] | null {
  const found = SIGNATURES.find(({ at, bytes }) => bytes.every((byte, index) => head[at + index] === byte));
  return found?.type ?? null;
}

/** What the server would refuse, before the upload; null when the file is accepted. */
export async function receiptProblem(
  file: Blob,
  accepted: readonly string[] = ACCEPTED_TYPES,
): Promise<ReceiptProblem | null> {
  if (file.size === 0) return 'empty';
  if (file.size > LARGEST_RECEIPT) return 'tooLarge';
  const head = new Uint8Array(await file.slice(0, 12).arrayBuffer());
  const type = sniffType(head);
  return type !== null && accepted.includes(type) ? null : 'wrongType';
}
